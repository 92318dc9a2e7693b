#!/usr/bin/env bash
# A match between two UCI engines, by fastchess (https://github.com/Disservin/fastchess). Each opening is played twice, with
# colours changed; at the end stand Elo with its error and the likelihood of superiority (LOS).
#
#   benches/match.sh 'target/release/kibitzer uci' /usr/games/stockfish [more options of fastchess]
#
# What the environment may say:
#
#   BOOK         openings, EPD or PGN; needed
#   FASTCHESS    the runner; else it is looked for in PATH
#   ROUNDS       openings, two games each           100
#   TC           seconds + increment                5+0.05
#   NODES        nodes a move, in place of TC
#   SEED         which openings, in which order     1
#   CONCURRENCY  games at once                      half of the cores
#   HASH         MiB of each engine                 64
#   THREADS      of each engine                     1
#   OPTIONS_A, OPTIONS_B   more for one engine, as 'option.UCI_LimitStrength=true option.UCI_Elo=1500'
#   NAME_A, NAME_B         how the result calls them   a, b
#   MARGIN       milliseconds beyond the clock that lose no game   50
#   OUT          where games (PGN) and log go       a new temporary folder
#
# To decide whether a change gains: add -sprt elo0=0 elo1=3 alpha=0.05 beta=0.05. For Chess960: -variant fischerandom.
set -euo pipefail

if [ $# -lt 2 ]; then
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
a=$1 b=$2
shift 2

runner=${FASTCHESS:-$(command -v fastchess || true)}
[ -n "$runner" ] || { echo "fastchess is not in PATH, and FASTCHESS does not say where it is" >&2; exit 2; }
[ -r "${BOOK:-}" ] || { echo "BOOK must name a file of openings" >&2; exit 2; }
case $BOOK in *.pgn) form=pgn ;; *) form=epd ;; esac
cores=$(nproc)
out=${OUT:-$(mktemp -d -t kibitzer-match.XXXXXX)}
mkdir -p "$out"

if [ -n "${NODES:-}" ]; then
  limit=(tc=inf "nodes=$NODES")
else
  limit=("tc=${TC:-5+0.05}")
fi

# A command's first word is the program, the others its arguments.
engine() {
  local name=$1 command=$2 options=$3
  printf '%s\n' -engine "name=$name" "cmd=$(command -v "${command%% *}" || echo "${command%% *}")"
  case $command in *' '*) printf '%s\n' "args=${command#* }" ;; esac
  # Options are words without blanks of their own.
  # shellcheck disable=SC2086
  [ -z "$options" ] || printf '%s\n' $options
}
mapfile -t first < <(engine "${NAME_A:-a}" "$a" "${OPTIONS_A:-}")
mapfile -t second < <(engine "${NAME_B:-b}" "$b" "${OPTIONS_B:-}")

echo "games and log: $out"
exec "$runner" "${first[@]}" "${second[@]}" \
  -each proto=uci "${limit[@]}" "timemargin=${MARGIN:-50}" "option.Hash=${HASH:-64}" "option.Threads=${THREADS:-1}" \
  -openings "file=$BOOK" "format=$form" order=random -srand "${SEED:-1}" \
  -rounds "${ROUNDS:-100}" -games 2 -repeat -concurrency "${CONCURRENCY:-$((cores > 1 ? cores / 2 : 1))}" \
  -ratinginterval 20 -recover -report penta=true \
  -pgnout "file=$out/games.pgn" -log "file=$out/log.txt" level=warn -config "outname=$out/config.json" "$@"
