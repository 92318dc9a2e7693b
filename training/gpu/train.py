"""A trainer of layered networks on a GPU, while other programs make its positions.

It goes on from a checkpoint of `trainer train` with the settings of that run. It reads files of
records (`trainer samples`) from a folder as they appear there, and deletes what it has read. Each
step draws a batch at random from all positions read so far. The run ends after a given time, over
which the rest of the run's schedule is stretched.
"""

import argparse
import math
import os
import pathlib
import time

import torch

import checkpoint
import network_file
from network import Network
from pool import CHUNK, Pool
from records import Decoder, targets

REPORT_STEPS = 500


class Settings:
    """The settings of a checkpoint's run."""

    def __init__(self, state: dict) -> None:
        """Raises ValueError if the trainer cannot follow the settings."""
        config = state["config"]
        if config["power"] != 2.0 or config["exact_weights"]:
            raise ValueError("the run has a power other than 2, or exact weights")
        self.batch = config["batch"]
        self.optimiser = config["optimiser"]
        self.schedule = config["schedule"]
        self.scale = config["target"]["scale"]
        late = config["late"]
        self.late_from = late["late_from"]
        self.result_weight = config["target"]["result_weight"]
        late_weight = late["late_result_weight"]
        self.late_result_weight = self.result_weight if late_weight is None else late_weight
        # The share of the schedule that the run has completed.
        self.progress = state["steps"] / (config["samples"] // self.batch)
        if self.progress >= 1.0:
            raise ValueError("the run has no step left")

    def learning_rate(self, progress: float) -> float:
        """The rate after a share of the run: half a cosine. The warm-up is over."""
        cosine = 0.5 + 0.5 * math.cos(math.pi * progress)
        final_share = self.schedule["final_share"]
        return self.schedule["learning_rate"] * (final_share + (1.0 - final_share) * cosine)


class Run:
    """A run with its results."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Loads the checkpoint and begins to read positions."""
        self.arguments = arguments
        self.device = torch.device(arguments.device)
        is_cuda = self.device.type == "cuda"
        torch.manual_seed(arguments.seed)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        self.start = checkpoint.load(arguments.start)
        self.settings = Settings(self.start.state)
        self.network = Network(self.start.weights, self.device, torch.float16)
        self.decoder = Decoder(self.device, self.settings.batch, torch.float16)
        # What changes from step to step, on the GPU.
        self.rate = torch.zeros((), device=self.device)
        self.result_weight = torch.zeros((), device=self.device)
        self.losses = torch.zeros((), dtype=torch.float64, device=self.device)
        constants = self.settings.optimiser
        self.optimiser = torch.optim.AdamW(
            self.network.weights.values(),
            lr=self.rate,
            betas=(constants["beta1"], constants["beta2"]),
            eps=constants["epsilon"],
            weight_decay=constants["weight_decay"],
            capturable=is_cuda,
            fused=is_cuda,
        )
        self.steps = 0
        self.replay = self._step_of_batch
        self.pool = Pool(arguments.records, arguments.capacity, self.device)

    def train(self) -> None:
        """Trains for the given time. Saves the weights at the end, whatever ends it."""
        try:
            while self.pool.filled < self.settings.batch:
                self.pool.check()
                time.sleep(0.1)
            if self.device.type == "cuda":
                self._capture()
            self._train()
        finally:
            self.pool.close()
            self.save()

    def _train(self) -> None:
        begin = reported = saved = time.monotonic()
        while (share := (time.monotonic() - begin) / self.arguments.seconds) < 1.0:
            self._step(share)
            if self.steps % REPORT_STEPS == 0:
                self.pool.check()
                loss = self.losses.item() / REPORT_STEPS
                self.losses.zero_()
                now = time.monotonic()
                self._report(loss, share, now - reported)
                reported = now
                if now - saved > self.arguments.save_every:
                    saved = now
                    self.save()

    def _capture(self) -> None:
        """Records a step as a graph: starting each of its kernels takes longer than the step."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            # With a learning rate of zero no weight changes, whatever the positions are.
            for _ in range(3):
                self._step_of_batch()
        torch.cuda.current_stream().wait_stream(stream)
        for state in self.optimiser.state.values():
            for values in state.values():
                values.zero_()
        self.losses.zero_()
        graph = torch.cuda.CUDAGraph()
        self.optimiser.zero_grad()
        # The pool's thread goes on to copy positions meanwhile.
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            self._step_of_batch()
        self.replay = graph.replay

    def _step(self, share: float) -> None:
        settings = self.settings
        progress = settings.progress + (1.0 - settings.progress) * share
        is_late = progress >= settings.late_from
        self.result_weight.fill_(settings.late_result_weight if is_late else settings.result_weight)
        self.steps += 1
        # The running means start at zero.
        warm_up = min(1.0, self.steps / self.arguments.warm_up)
        self.rate.fill_(settings.learning_rate(progress) * warm_up)
        self.replay()

    def _step_of_batch(self) -> None:
        """Draws a batch and takes an optimiser step on it."""
        records = self.pool.draw(self.settings.batch)
        inputs, buckets = self.decoder.inputs(records)
        wanted = targets(records, self.settings.scale, self.result_weight)
        self.losses += self.network.compute_gradients(inputs, buckets, wanted)
        self.optimiser.step()
        self.network.clamp()

    def _report(self, loss: float, share: float, seconds: float) -> None:
        speed = REPORT_STEPS * self.settings.batch / seconds
        print(
            f"{100 * share:.1f}% steps {self.steps} loss {loss:.6f} {speed:.0f} positions/s"
            f" of {self.pool.read} positions",
            flush=True,
        )

    def save(self) -> None:
        """Writes the network file, and the weights for `trainer train --start-from`."""
        weights = self.network.arrays()
        state = self.start.state | {"steps": self.start.state["steps"] + self.steps}
        content = checkpoint.encode(checkpoint.Checkpoint(state, weights))
        replace(self.arguments.out / "weights.run", content)
        replace(self.arguments.out / "net.nnue", network_file.write(weights, self.settings.scale))


def replace(path: pathlib.Path, content: bytes) -> None:
    """Writes a file, so that a reader never sees a part of it."""
    temporary = path.with_suffix(".part")
    temporary.write_bytes(content)
    os.replace(temporary, path)


def parse_arguments() -> argparse.Namespace:
    """Parses the command line, and ends the program with a message if it is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    path = {"type": pathlib.Path, "required": True}
    parser.add_argument("--start", **path, help="checkpoint to go on from")
    parser.add_argument("--records", **path, help="folder where files *.records appear")
    parser.add_argument("--out", **path, help="folder of the results")
    parser.add_argument("--seconds", type=float, required=True, help="length of the run")
    parser.add_argument("--warm-up", type=int, default=200, help="steps before the full rate")
    parser.add_argument("--save-every", type=float, default=120.0, help="seconds")
    parser.add_argument(
        "--capacity", type=int, default=2_000_000_000, help="positions of the pool, 32 bytes each"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the batches")
    parser.add_argument("--device", default="cuda", help="cuda or cpu")
    arguments = parser.parse_args()
    for name, least in [("seconds", 1), ("warm_up", 1), ("save_every", 1), ("capacity", CHUNK)]:
        value = getattr(arguments, name)
        if value < least:
            parser.error(f"--{name.replace('_', '-')} is {value}; it must be at least {least}")
    if not arguments.records.is_dir():
        parser.error(f"--records: {arguments.records} is not a folder")
    arguments.out.mkdir(parents=True, exist_ok=True)
    return arguments


if __name__ == "__main__":
    Run(parse_arguments()).train()
