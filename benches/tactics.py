"""Tactical and strategic test suites: best moves and points of several engines, in turn.

    python3 benches/tactics.py --suite wac.epd --suite sts.epd --movetime 200 /usr/games/stockfish 'target/release/kibitzer uci'

The first engine is the reference. The last two figures of a line are the engine's hits and points
as shares of the reference's. A position's `bm` is a hit. If a line rates its moves (`c8` points for
`c9` moves, as in the Strategic Test Suite), the rated points count as well. The program needs the
package `chess`.
"""

import argparse
import chess
import chess.engine


def ratings(operations):
    """Points by move, in UCI notation; empty if the line does not rate its moves."""
    moves, points = operations.get("c9"), operations.get("c8")
    if not moves or not points:
        return {}
    return dict(zip(moves.split(), map(int, points.split())))


def positions(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                board = chess.Board()
                operations = board.set_epd(line)
                yield board, operations.get("bm", []), ratings(operations)


def engine(command, hash_mb):
    opened = chess.engine.SimpleEngine.popen_uci(command.split())
    opened.configure({"Hash": hash_mb, "Threads": 1})
    return opened


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("engines", nargs="+", help="commands of UCI engines; the first is the reference")
    arguments.add_argument("--suite", action="append", required=True, help="EPD file; may be repeated")
    arguments.add_argument("--movetime", type=int, default=200, help="milliseconds per position (200)")
    arguments.add_argument("--nodes", type=int, help="nodes per position, instead of time")
    arguments.add_argument("--hash", type=int, default=16, help="MiB of each engine (16)")
    given = arguments.parse_args()
    limit = chess.engine.Limit(nodes=given.nodes) if given.nodes else chess.engine.Limit(time=given.movetime / 1000)

    engines = [engine(command, given.hash) for command in given.engines]
    for suite in given.suite:
        count, hits, points = 0, [0] * len(engines), [0] * len(engines)
        for board, best, rated in positions(suite):
            count += 1
            for index, player in enumerate(engines):
                move = player.play(board, limit, game=object()).move
                hits[index] += move in best
                points[index] += rated.get(move.uci(), 0)
        for index, command in enumerate(given.engines):
            rate = hits[index] / max(hits[0], 1), points[index] / max(points[0], 1)
            print(f"{suite}: {command}: {hits[index]} of {count}, {points[index]} points; shares of the first's: {rate[0]:.3f}, {rate[1]:.3f}")
    for player in engines:
        player.quit()


main()
