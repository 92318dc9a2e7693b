"""Nodes a second of two UCI engines, in turn, over positions of a book: the figure is their ratio.

    python3 benches/nodes.py --book uho_20k.epd 'target/release/kibitzer uci' /usr/games/stockfish
"""

import argparse
import random
import subprocess


class Engine:
    def __init__(self, command, hash_mb):
        self.process = subprocess.Popen(command.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.ask("uci", "uciok")
        self.tell(f"setoption name Hash value {hash_mb}")

    def tell(self, line):
        self.process.stdin.write(line + "\n")

    def ask(self, line, until):
        """The last line with a node count before the answer that is waited for."""
        self.tell(line)
        counted = ""
        for answer in self.process.stdout:
            if " nodes " in answer:
                counted = answer
            if answer.startswith(until):
                return counted.split()
        raise SystemExit(f"{self.process.args} ended instead of {until}")

    def search(self, fen, movetime):
        """Nodes a second, and the depth reached."""
        self.tell("ucinewgame")
        self.ask("isready", "readyok")
        self.tell(f"position fen {fen}")
        told = self.ask(f"go movetime {movetime}", "bestmove")
        number = lambda name: int(told[told.index(name) + 1])
        return number("nodes") * 1000 / max(number("time"), 1), number("depth")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("engines", nargs=2, help="commands of two UCI engines")
    arguments.add_argument("--book", required=True, help="positions, a FEN or EPD a line")
    arguments.add_argument("--positions", type=int, default=50, help="how many of them (50)")
    arguments.add_argument("--movetime", type=int, default=1000, help="milliseconds a position (1000)")
    arguments.add_argument("--hash", type=int, default=16, help="MiB of each engine (16)")
    arguments.add_argument("--seed", type=int, default=1, help="which positions")
    given = arguments.parse_args()

    with open(given.book, encoding="utf-8") as book:
        positions = [" ".join(line.split()[:4]) + " 0 1" for line in book if line.strip()]
    chosen = random.Random(given.seed).sample(positions, given.positions)
    engines = [Engine(command, given.hash) for command in given.engines]
    speeds, depths = [0, 0], [0, 0]
    for fen in chosen:
        for index, engine in enumerate(engines):
            speed, depth = engine.search(fen, given.movetime)
            speeds[index] += speed / len(chosen)
            depths[index] += depth / len(chosen)
    for command, speed, depth in zip(given.engines, speeds, depths):
        print(f"{command}: {speed:.0f} nodes a second, depth {depth:.1f}")
    print(f"ratio {speeds[0] / speeds[1]:.3f}")
    for engine in engines:
        engine.tell("quit")


main()
