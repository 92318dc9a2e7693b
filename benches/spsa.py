"""Tuning of search parameters by SPSA.

Two engines that differ a little in every parameter play a pair of games. Each parameter then moves
towards the winner's value.

    cargo build --release --features tune
    python3 benches/spsa.py --engine target/release/kibitzer --book openings.epd --state tuning.json \\
        --iterations 20000 --nodes 10000 lmr_base lmr_slope singular_margin

Without names, every parameter is tuned except for switches (0 to 1). The program writes its state
after each pair of games. A stopped run continues from that state with the same schedule.
benches/match.sh plays the games and needs fastchess (FASTCHESS, or in PATH).

Chess Programming Wiki, "SPSA". The schedule of steps is fishtest's: alpha 0.602, gamma 0.101, A a
tenth of the iterations.
"""

import argparse
import json
import os
import random
import re
import subprocess
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

ALPHA, GAMMA = 0.602, 0.101

MATCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "match.sh")
ADJUDICATION = "-draw movenumber=40 movecount=8 score=8 -resign movecount=4 score=600".split()


def tunable(engine):
    """The parameters that the engine offers: name → (value, minimum, maximum)."""
    listing = subprocess.run([engine, "uci"], input="uci\nquit\n", capture_output=True, text=True, check=True).stdout
    form = re.compile(r"^option name ([a-z_0-9]+) type spin default (-?\d+) min (-?\d+) max (-?\d+)$", re.MULTILINE)
    return {name: tuple(map(int, numbers)) for name, *numbers in form.findall(listing)}


class Tuning:
    """The current parameters, and the number of finished pairs of games."""

    def __init__(self, given, numbers):
        self.given, self.numbers = given, numbers
        self.lock = threading.Lock()
        self.begun = self.done = 0
        self.values = {name: float(value) for name, (value, _, _) in numbers.items()}
        self.schedule = {"iterations": given.iterations, "look": given.look, "rate": given.rate, "nodes": given.nodes}
        if os.path.exists(given.state):
            with open(given.state, encoding="utf-8") as file:
                state = json.load(file)
            if state["schedule"] != self.schedule:
                raise SystemExit(f"{given.state} was started with another schedule: {state['schedule']}")
            self.begun = self.done = state["pairs"]
            self.values.update({name: value for name, value in state["values"].items() if name in numbers})

    def steps(self, pair):
        """For each parameter its deviation to both sides, and the step of a won game."""
        total = self.given.iterations
        steady = total / 10
        for name, (_, least, most) in self.numbers.items():
            last_look = max((most - least) * self.given.look, 0.5)
            look = last_look * (total / pair) ** GAMMA
            pull = self.given.rate * last_look**2 * ((steady + total) / (steady + pair)) ** ALPHA
            yield name, look, pull / look

    def next_pair(self):
        """The next pair of games: its number, and the deviation and step of each parameter."""
        with self.lock:
            if self.begun >= self.given.iterations:
                return None
            self.begun += 1
            deviations = {name: (random.choice((-1, 1)) * look, pull) for name, look, pull in self.steps(self.begun)}
            return self.begun, deviations, dict(self.values)

    def finish(self, deviations, score):
        with self.lock:
            self.done += 1
            for name, (deviation, pull) in deviations.items():
                _, least, most = self.numbers[name]
                moved = self.values[name] + pull * score * (1 if deviation > 0 else -1)
                self.values[name] = min(max(moved, least), most)
            with open(self.given.state + ".new", "w", encoding="utf-8") as file:
                json.dump({"pairs": self.done, "schedule": self.schedule, "values": self.values}, file, indent=1)
            os.replace(self.given.state + ".new", self.given.state)
            if self.done % 100 == 0:
                print(self.done, {name: round(value) for name, value in self.values.items()}, flush=True)


def play(given, numbers, number, values, deviations):
    """Wins less losses of the engine with positive deviations, in two games of one opening."""

    def options(sign):
        moved = {key: values[key] + sign * deviation for key, (deviation, _) in deviations.items()}
        within = {key: min(max(round(value), numbers[key][1]), numbers[key][2]) for key, value in moved.items()}
        return " ".join(f"option.{key}={value}" for key, value in within.items())

    with tempfile.TemporaryDirectory() as out:
        settings = {"BOOK": given.book, "NODES": given.nodes, "SEED": given.seed + number, "ROUNDS": 1, "CONCURRENCY": 1}
        settings |= {"HASH": 16, "OPTIONS_A": options(1), "OPTIONS_B": options(-1), "OUT": out}
        environment = os.environ | {name: str(value) for name, value in settings.items()}
        command = [MATCH, f"{given.engine} uci", f"{given.engine} uci", *ADJUDICATION]
        told = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    wins, losses = re.findall(r"Games: 2, Wins: (\d), Losses: (\d)", told)[-1]
    return int(wins) - int(losses)


def run_pairs(tuning):
    while (pair := tuning.next_pair()) is not None:
        number, deviations, values = pair
        tuning.finish(deviations, play(tuning.given, tuning.numbers, number, values, deviations))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("names", nargs="*", help="the parameters to tune")
    arguments.add_argument("--engine", required=True, help="a build with the feature tune")
    arguments.add_argument("--book", required=True, help="openings, EPD")
    arguments.add_argument("--state", required=True, help="file that holds the parameters")
    arguments.add_argument("--iterations", type=int, default=20_000, help="pairs of games in all (20000)")
    arguments.add_argument("--nodes", type=int, default=10_000, help="nodes per move (10000)")
    arguments.add_argument("--look", type=float, default=0.05, help="final deviation, as a share of the range (0.05)")
    arguments.add_argument("--rate", type=float, default=0.002, help="final step of a won game (0.002)")
    arguments.add_argument("--concurrency", type=int, default=os.cpu_count(), help="concurrent pairs (the cores)")
    arguments.add_argument("--seed", type=int, default=1, help="selects the openings")
    given = arguments.parse_args()
    offered = tunable(given.engine)
    unknown = [name for name in given.names if name not in offered]
    if unknown or not offered:
        raise SystemExit(f"not offered by the engine: {', '.join(unknown) or 'any parameter (build the engine with the feature tune)'}")
    names = given.names or [name for name, (_, least, most) in offered.items() if (least, most) != (0, 1)]
    tuning = Tuning(given, {name: offered[name] for name in names})
    with ThreadPoolExecutor(given.concurrency) as pool:
        # An exception in one of the threads ends the run here.
        list(pool.map(run_pairs, [tuning] * given.concurrency))
    print(json.dumps({name: round(value) for name, value in tuning.values.items()}, indent=1))


main()
