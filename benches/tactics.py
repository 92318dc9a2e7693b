"""Comparison of engines on tactical and strategic test suites: best moves and points.

    python3 benches/tactics.py --suite wac.epd --suite sts.epd --movetime 200 \\
        /usr/games/stockfish 'target/release/kibitzer uci'

The engines search each position in turn. The first engine is the reference. The last two numbers of
a line are the hits and points of the engine as shares of the reference's. A move in the `bm` of a
position is a hit. If a line rates its moves (`c8` points for `c9` moves, as in the Strategic Test
Suite), the rated points count as well. The program needs the package `chess`.
"""

import argparse
import chess
import chess.engine


def parse_ratings(operations):
    """Points by move, in UCI notation; empty if the line does not rate its moves."""
    moves, points = operations.get("c9"), operations.get("c8")
    if not moves or not points:
        return {}
    return dict(zip(moves.split(), map(int, points.split())))


def read_positions(path):
    """The positions of an EPD file, each with its best moves and its ratings."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                board = chess.Board()
                operations = board.set_epd(line)
                yield board, operations.get("bm", []), parse_ratings(operations)


def start_engine(command, hash_mb):
    engine = chess.engine.SimpleEngine.popen_uci(command.split())
    engine.configure({"Hash": hash_mb, "Threads": 1})
    return engine


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "engines", nargs="+", help="commands of UCI engines; the first is the reference"
    )
    parser.add_argument("--suite", action="append", required=True, help="EPD file; may be repeated")
    parser.add_argument("--movetime", type=int, default=200, help="milliseconds per position (200)")
    parser.add_argument("--nodes", type=int, help="nodes per position, instead of time")
    parser.add_argument("--hash", type=int, default=16, help="MiB of each engine (16)")
    options = parser.parse_args()
    limit = (
        chess.engine.Limit(nodes=options.nodes)
        if options.nodes
        else chess.engine.Limit(time=options.movetime / 1000)
    )

    engines = [start_engine(command, options.hash) for command in options.engines]
    for suite in options.suite:
        count, hits, points = 0, [0] * len(engines), [0] * len(engines)
        for board, best_moves, ratings in read_positions(suite):
            count += 1
            for index, engine in enumerate(engines):
                move = engine.play(board, limit, game=object()).move
                hits[index] += move in best_moves
                points[index] += ratings.get(move.uci(), 0)
        for index, command in enumerate(options.engines):
            hit_share = hits[index] / max(hits[0], 1)
            point_share = points[index] / max(points[0], 1)
            print(
                f"{suite}: {command}: {hits[index]} of {count}, {points[index]} points; "
                f"shares of the reference's: {hit_share:.3f}, {point_share:.3f}"
            )
    for engine in engines:
        engine.quit()


main()
