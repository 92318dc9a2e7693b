"""Tuning of search parameters by SPSA.

Two engines that differ slightly in every parameter play a pair of games. Each parameter then moves
towards the value of the winner.

    cargo build --release --features tune
    python3 benches/spsa.py --engine target/release/kibitzer --book openings.epd \\
        --state tuning.json --iterations 20000 --nodes 10000 lmr_base lmr_slope singular_margin

Without names, the program tunes every parameter except for switches (0 to 1). It writes its state
after each pair of games. A stopped run continues from that state with the same schedule.
benches/match.sh plays the games and needs fastchess (FASTCHESS, or in PATH).

A switch that is named is not tuned but measured: in each pair it is on for one of the engines,
chosen at random, and off for the other. All pairs of the run therefore measure each of the named
switches (a two-level factorial design), averaged over the settings of the others. The program
prints the Elo of "on" with its 95% interval, without a correction for the number of switches: play
a match with the best of them before you keep any.

Chess Programming Wiki, "SPSA". The schedule of steps is fishtest's: alpha 0.602, gamma 0.101, A a
tenth of the iterations.
"""

import argparse
import json
import math
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


def tunable_parameters(engine):
    """The parameters that the engine offers: name → (value, minimum, maximum)."""
    listing = subprocess.run(
        [engine, "uci"], input="uci\nquit\n", capture_output=True, text=True, check=True
    ).stdout
    pattern = re.compile(
        r"^option name ([a-z_0-9]+) type spin default (-?\d+) min (-?\d+) max (-?\d+)$",
        re.MULTILINE,
    )
    return {name: tuple(map(int, numbers)) for name, *numbers in pattern.findall(listing)}


class SwitchEffect:
    """The result of a switch: of each pair of games, the wins less the losses of "on"."""

    def __init__(self, pairs=0, total=0, squares=0):
        self.pairs, self.total, self.squares = pairs, total, squares

    def add(self, score):
        """Counts a pair with this score, from -2 to 2."""
        self.pairs, self.total, self.squares = (
            self.pairs + 1,
            self.total + score,
            self.squares + score**2,
        )

    def __str__(self):
        if self.pairs == 0:
            return "no games"
        mean = self.total / self.pairs
        error = math.sqrt((self.squares / self.pairs - mean**2) / self.pairs)
        # A win share of s is 400 · log10(s / (1 − s)) Elo: near one half,
        # 1600 / ln 10 · (s − 1/2). A pair has two games, so its score is 4 · (s − 1/2).
        slope = 400 / math.log(10)
        return f"{slope * mean:+.1f} ± {1.96 * slope * error:.1f} ({self.pairs} pairs)"


def is_switch(parameter):
    """Whether a parameter (value, minimum, maximum) is only on or off."""
    return parameter[1:] == (0, 1)


class Tuning:
    """The current parameters, and the number of started and finished pairs of games."""

    def __init__(self, options, parameters):
        self.options, self.parameters = options, parameters
        self.lock = threading.Lock()
        self.started = self.finished = 0
        self.values = {
            name: 0.5 if is_switch(parameter) else float(parameter[0])
            for name, parameter in parameters.items()
        }
        self.effects = {
            name: SwitchEffect() for name, parameter in parameters.items() if is_switch(parameter)
        }
        self.schedule = {
            "iterations": options.iterations,
            "look": options.look,
            "rate": options.rate,
            "nodes": options.nodes,
        }
        if os.path.exists(options.state):
            with open(options.state, encoding="utf-8") as file:
                state = json.load(file)
            if state["schedule"] != self.schedule:
                raise SystemExit(
                    f"{options.state} has the schedule {state['schedule']}; "
                    "use the same schedule or another --state"
                )
            self.started = self.finished = state["pairs"]
            # Also what an earlier run tuned or measured and this one does not.
            for name, sums in state.get("switches", {}).items():
                self.effects[name] = SwitchEffect(*sums)
            for name, value in state["values"].items():
                if name not in self.effects:
                    self.values[name] = value

    def steps(self, pair):
        """For each parameter its deviation in both directions, and the step of a won game."""
        total = self.options.iterations
        stability = total / 10
        for name, (_, minimum, maximum) in self.parameters.items():
            if name in self.effects:
                yield name, 0.5, 0.0
                continue
            final_deviation = max((maximum - minimum) * self.options.look, 0.5)
            deviation = final_deviation * (total / pair) ** GAMMA
            decay = ((stability + total) / (stability + pair)) ** ALPHA
            learning_rate = self.options.rate * final_deviation**2 * decay
            yield name, deviation, learning_rate / deviation

    def next_pair(self):
        """The next pair of games: its number, and the deviation and step of each parameter."""
        with self.lock:
            if self.started >= self.options.iterations:
                return None
            self.started += 1
            deviations = {
                name: (random.choice((-1, 1)) * deviation, step)
                for name, deviation, step in self.steps(self.started)
            }
            return self.started, deviations, dict(self.values)

    def finish(self, deviations, score):
        """Moves the parameters by the score of a pair of games, and writes the state."""
        with self.lock:
            self.finished += 1
            for name, (deviation, step) in deviations.items():
                _, minimum, maximum = self.parameters[name]
                if name in self.effects:
                    self.effects[name].add(score if deviation > 0 else -score)
                value = self.values[name] + step * score * (1 if deviation > 0 else -1)
                self.values[name] = min(max(value, minimum), maximum)
            with open(self.options.state + ".new", "w", encoding="utf-8") as file:
                json.dump(self.state(), file, indent=1)
            os.replace(self.options.state + ".new", self.options.state)
            if self.finished % 100 == 0:
                print(self.finished, self.tuned(), flush=True)
                self.print_effects()

    def print_effects(self):
        """Prints the effects of the switches."""
        for name, effect in self.effects.items():
            print(f"  {name:24} {effect}", flush=True)

    def state(self):
        """The content of the state file."""
        switches = {
            name: (effect.pairs, effect.total, effect.squares)
            for name, effect in self.effects.items()
        }
        return {
            "pairs": self.finished,
            "schedule": self.schedule,
            "values": self.values,
            "switches": switches,
        }

    def tuned(self):
        """The rounded values of the parameters that are not switches."""
        return {
            name: round(self.values[name]) for name in self.parameters if name not in self.effects
        }


def play_pair(options, parameters, number, values, deviations):
    """Wins minus losses of the engine with positive deviations, in two games of one opening."""

    def engine_options(sign):
        shifted = {
            key: values[key] + sign * deviation for key, (deviation, _) in deviations.items()
        }
        clamped = {
            key: min(max(round(value), parameters[key][1]), parameters[key][2])
            for key, value in shifted.items()
        }
        return " ".join(f"option.{key}={value}" for key, value in clamped.items())

    with tempfile.TemporaryDirectory() as out:
        settings = {
            "BOOK": options.book,
            "NODES": options.nodes,
            "SEED": options.seed + number,
            "ROUNDS": 1,
            "CONCURRENCY": 1,
        }
        settings |= {
            "HASH": 16,
            "OPTIONS_A": engine_options(1),
            "OPTIONS_B": engine_options(-1),
            "OUT": out,
        }
        environment = os.environ | {name: str(value) for name, value in settings.items()}
        command = [MATCH, f"{options.engine} uci", f"{options.engine} uci", *ADJUDICATION]
        output = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=True
        ).stdout
    wins, losses = re.findall(r"Games: 2, Wins: (\d), Losses: (\d)", output)[-1]
    return int(wins) - int(losses)


def run_pairs(tuning):
    """Plays pairs of games until the schedule ends."""
    while (pair := tuning.next_pair()) is not None:
        number, deviations, values = pair
        tuning.finish(
            deviations, play_pair(tuning.options, tuning.parameters, number, values, deviations)
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="parameters to tune, switches to measure")
    parser.add_argument(
        "--engine", required=True, help="path of an engine built with the feature tune"
    )
    parser.add_argument("--book", required=True, help="file of openings in EPD")
    parser.add_argument("--state", required=True, help="file that stores the progress")
    parser.add_argument(
        "--iterations", type=int, default=20_000, help="total pairs of games (20000)"
    )
    parser.add_argument("--nodes", type=int, default=10_000, help="nodes per move (10000)")
    parser.add_argument(
        "--look", type=float, default=0.05, help="final deviation, as a share of the range (0.05)"
    )
    parser.add_argument(
        "--rate", type=float, default=0.002, help="final step of a won game (0.002)"
    )
    parser.add_argument(
        "--concurrency",
        type=int,
        default=2 * os.cpu_count(),
        help="concurrent pairs (twice the cores: the runner idles at the end of each pair)",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed that selects the openings (1)")
    options = parser.parse_args()
    available = tunable_parameters(options.engine)
    unknown = [name for name in options.names if name not in available]
    if not available:
        raise SystemExit(f"{options.engine} has no parameters; build it with the feature tune")
    if unknown:
        raise SystemExit(f"unknown parameters: {', '.join(unknown)}")
    names = options.names or [
        name for name, parameter in available.items() if not is_switch(parameter)
    ]
    tuning = Tuning(options, {name: available[name] for name in names})
    with ThreadPoolExecutor(options.concurrency) as pool:
        # An exception in a thread is raised here and ends the run.
        list(pool.map(run_pairs, [tuning] * options.concurrency))
    tuning.print_effects()
    print(json.dumps(tuning.tuned(), indent=1))


main()
