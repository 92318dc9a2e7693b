#!/usr/bin/env bash
# A match between two UCI engines, by fastchess (https://github.com/Disservin/fastchess).
#
# The engines play each opening twice, with colours changed. The result is Elo with its error and
# the likelihood of superiority (LOS).
#
#   benches/match.sh 'target/release/kibitzer uci' /usr/games/stockfish [more options of fastchess]
#
# Environment variables:
#
#   BOOK         openings, EPD or PGN; required
#   FASTCHESS    path of the runner                 fastchess in PATH
#   ROUNDS       openings, two games each           100
#   TC           seconds + increment                5+0.05
#   NODES        nodes per move, replaces TC
#   SEED         selects and orders the openings    1
#   CONCURRENCY  concurrent games                   half of the cores
#   HASH         MiB of each engine                 64
#   THREADS      of each engine                     1
#   OPTIONS_A, OPTIONS_B   options of one engine, such as
#                'option.UCI_LimitStrength=true option.UCI_Elo=1500'
#   NAME_A, NAME_B   names in the result            a, b
#   MARGIN       tolerated ms past the clock        50
#   OUT          folder of the games (PGN) and log  a new temporary folder
#
# To test whether a change gains Elo, add -sprt elo0=0 elo1=3 alpha=0.05 beta=0.05.
# For Chess960, add -variant fischerandom.
set -euo pipefail

if [ $# -lt 2 ]; then
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
a=$1 b=$2
shift 2

runner=${FASTCHESS:-$(command -v fastchess || true)}
[ -n "$runner" ] || { echo "fastchess is not in PATH and FASTCHESS is not set" >&2; exit 2; }
[ -r "${BOOK:-}" ] || { echo "BOOK must name a file of openings" >&2; exit 2; }
case $BOOK in *.pgn) format=pgn ;; *) format=epd ;; esac
cores=$(nproc)
out=${OUT:-$(mktemp -d -t kibitzer-match.XXXXXX)}
mkdir -p "$out"

if [ -n "${NODES:-}" ]; then
  limit=(tc=inf "nodes=$NODES")
else
  limit=("tc=${TC:-5+0.05}")
fi

# The first word of a command is the program, the others are its arguments.
engine() {
  local name=$1 command=$2 options=$3
  printf '%s\n' -engine "name=$name" "cmd=$(command -v "${command%% *}" || echo "${command%% *}")"
  case $command in *' '*) printf '%s\n' "args=${command#* }" ;; esac
  # Options contain no blanks.
  # shellcheck disable=SC2086
  [ -z "$options" ] || printf '%s\n' $options
}
mapfile -t first < <(engine "${NAME_A:-a}" "$a" "${OPTIONS_A:-}")
mapfile -t second < <(engine "${NAME_B:-b}" "$b" "${OPTIONS_B:-}")

echo "games and log: $out"
exec "$runner" "${first[@]}" "${second[@]}" \
  -each proto=uci "${limit[@]}" "timemargin=${MARGIN:-50}" \
  "option.Hash=${HASH:-64}" "option.Threads=${THREADS:-1}" \
  -openings "file=$BOOK" "format=$format" order=random -srand "${SEED:-1}" \
  -rounds "${ROUNDS:-100}" -games 2 -repeat \
  -concurrency "${CONCURRENCY:-$((cores > 1 ? cores / 2 : 1))}" \
  -ratinginterval 20 -recover -report penta=true \
  -pgnout "file=$out/games.pgn" -log "file=$out/log.txt" level=warn \
  -config "outname=$out/config.json" "$@"
