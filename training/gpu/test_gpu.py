"""Tests of the GPU trainer, on the CPU: `python3 -m unittest` in this folder."""

import argparse
import hashlib
import math
import pathlib
import tempfile
import unittest
from unittest import mock

import numpy as np
import torch

import checkpoint
import network
import network_file
import train
from network import Network
from records import RECORD_BYTES, Decoder, targets

CPU = torch.device("cpu")


# `trainer export` makes a file with this SHA-256 from a checkpoint of `made_up_weights(1)`.
EXPORTED = "c177bf3f7cd3af06921dcd7308b10563992ba4fb3326bc3d0d3992d69c03f424"
# Positions of `trainer samples` with the centipawns that `trainer evaluate` finds with that file.
EVALUATED = [
    ("91a96404005a8579530302000480888888cbb90d000000007cff03043e000000", 78),
    ("943cd4101005f24d524321000c8088888a88abdb00000000dcfe03043e000000", 48),
    ("b9e3000006b06791432503080001ca888888db0b0000000049ff02043c000000", 65),
    ("0009b41418804651502138808048a8bb0d00000000000000be01030b3e000000", 27),
    ("40091006040042c0053c0088d80b0000000000000000000045fe03063e000000", -14),
]


def made_up_weights(seed: int) -> dict[str, np.ndarray]:
    """Weights between -0.1 and 0.1, with which no neuron is always clipped."""
    rows = checkpoint.TILE_ROWS | checkpoint.LATER_ROWS
    weights = {}
    for number, (name, count) in enumerate(rows.items()):
        columns = checkpoint.HIDDEN if name in checkpoint.TILE_ROWS else checkpoint.LANES
        places = np.arange(count * columns, dtype=np.int64).reshape(count, columns)
        mixed = (places * 7919 + places // columns * 104729 + 31 * number + seed) % 2003
        weights[name] = mixed / 10015 - 0.1
    weights["bias"] += 0.4
    return weights


def made_up_state(batch: int) -> dict:
    """The state of a run at the middle of its schedule."""
    config = {
        "architecture": "layered",
        "hidden": 1024,
        "king_buckets": "8",
        "output_buckets": 8,
        "power": 2.0,
        "exact_weights": False,
        "samples": 20 * batch,
        "batch": batch,
        "target": {"scale": 220, "result_weight": 0.0},
        "late": {"late_from": 0.85, "late_result_weight": 0.3},
        "schedule": {"learning_rate": 0.001, "final_share": 0.01},
        "optimiser": {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.01},
    }
    return {"config": config, "steps": 10}


def random_records(count: int, seed: int) -> torch.Tensor:
    """Records of two kings and up to thirty pieces on random squares."""
    random = np.random.default_rng(seed)
    records = np.zeros((count, RECORD_BYTES), dtype=np.uint8)
    for record in records:
        squares = np.sort(random.choice(64, random.integers(3, 33), replace=False))
        codes = random.integers(0, 5, len(squares)) + 8 * random.integers(0, 2, len(squares))
        own, their = random.choice(len(squares), 2, replace=False)
        codes[own], codes[their] = 5, 13
        record[:8] = np.frombuffer(
            sum(1 << int(s) for s in squares).to_bytes(8, "little"), np.uint8
        )
        for place, code in enumerate(codes):
            record[8 + place // 2] |= code << (4 * (place % 2))
        record[24:26] = np.frombuffer(np.int16(random.integers(-500, 500)).tobytes(), np.uint8)
        record[26:29] = [random.integers(0, 4), squares[own], squares[their]]
    return torch.from_numpy(records)


def without_rounding():
    """Replaces the rounding, so that the loss is a smooth function."""

    def clip(ctx, sums):
        ctx.save_for_backward(sums)
        return (sums / network.QB).clamp(0.0, network.PAIR_UNIT)

    def square(ctx, sums):
        ctx.save_for_backward(sums)
        return sums.abs().clamp(max=network.Square.MOST) ** 2 / (1 << 19)

    def rounded(ctx, weights, unit):
        ctx.unit = unit
        return weights * unit

    def products(sums):
        first, second = sums.clamp(0.0, network.QA).chunk(2, dim=1)
        return first * second / 512.0

    return [
        mock.patch.object(network.Clip, "forward", staticmethod(clip)),
        mock.patch.object(network.Square, "forward", staticmethod(square)),
        mock.patch.object(network.Rounded, "forward", staticmethod(rounded)),
        mock.patch.object(network, "pair_products", products),
    ]


class GpuTrainerTests(unittest.TestCase):
    def test_a_checkpoint_survives(self):
        weights, state = made_up_weights(1), made_up_state(16)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "checkpoint.run"
            path.write_bytes(checkpoint.encode(checkpoint.Checkpoint(state, weights)))
            loaded = checkpoint.load(path)
            path.write_bytes(path.read_bytes()[:-1])
            with self.assertRaisesRegex(ValueError, "damaged"):
                checkpoint.load(path)
        self.assertEqual(loaded.state, state)
        for name, values in weights.items():
            np.testing.assert_array_equal(loaded.weights[name], values.astype(np.float32))

    def test_the_network_file_is_that_of_the_other_trainer(self):
        file = network_file.write(made_up_weights(1), 220)
        self.assertEqual(hashlib.sha256(file).hexdigest(), EXPORTED)

    def test_the_outputs_are_those_of_the_other_trainer(self):
        content = b"".join(bytes.fromhex(record) for record, _ in EVALUATED)
        records = torch.tensor(list(content), dtype=torch.uint8).view(-1, RECORD_BYTES)
        inputs, buckets = Decoder(CPU, len(records), torch.float32).inputs(records)
        outputs = Network(made_up_weights(1), CPU, torch.float32).output(inputs, buckets)
        evaluations = [int(220 * output) for output in outputs.tolist()]
        self.assertEqual(evaluations, [evaluation for _, evaluation in EVALUATED])

    def test_the_target_mixes_the_score_with_a_known_result(self):
        records = torch.zeros(4, RECORD_BYTES, dtype=torch.uint8)
        records[:, 24] = 220
        records[:, 26] = torch.tensor([0, 1, 2, 3])
        score = 1 / (1 + math.exp(-1))
        mixed = [0.7 * score, 0.7 * score + 0.15, 0.7 * score + 0.3, score]
        np.testing.assert_allclose(targets(records, 220, 0.3).tolist(), mixed, rtol=1e-6)

    def test_a_run_trains_on_the_positions_that_appear(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            start = checkpoint.Checkpoint(made_up_state(16), made_up_weights(1))
            (folder / "start.run").write_bytes(checkpoint.encode(start))
            (folder / "1.records").write_bytes(random_records(40, 6).numpy().tobytes())
            options = {"start": folder / "start.run", "records": folder, "out": folder}
            numbers = {"seconds": 2.0, "warm_up": 1, "save_every": 9.0, "capacity": 32, "seed": 1}
            run = train.Run(argparse.Namespace(**options, **numbers, device="cpu"))
            self.assertEqual(run.settings.progress, 0.5)
            run.train()
            result = checkpoint.load(folder / "weights.run")
            self.assertFalse((folder / "1.records").exists())
            file = (folder / "net.nnue").read_bytes()
        self.assertEqual((run.pool.read, run.pool.filled), (40, 32))
        self.assertEqual(result.state["steps"], 10 + run.steps)
        self.assertEqual(network_file.write(result.weights, 220), file)
        for name, values in result.weights.items():
            self.assertFalse(np.array_equal(values, start.weights[name].astype(np.float32)), name)

    def test_a_run_with_settings_of_another_trainer_is_refused(self):
        for name, value in [("power", 2.5), ("exact_weights", True)]:
            state = made_up_state(16)
            state["config"][name] = value
            with self.assertRaisesRegex(ValueError, "exact weights"):
                train.Settings(state)

    def test_the_gradients_are_the_differences_of_the_loss(self):
        count = 24
        records = random_records(count, 2)
        inputs, buckets = Decoder(CPU, count, torch.float64).inputs(records)
        wanted = targets(records, 220, 0.3).double()
        net = Network(made_up_weights(3), CPU, torch.float64)
        for values in net.weights.values():
            values.data = values.data.double()

        def loss() -> float:
            with torch.no_grad():
                return ((torch.sigmoid(net.output(inputs, buckets)) - wanted) ** 2).mean().item()

        for patch in without_rounding():
            patch.start()
            self.addCleanup(patch.stop)
        net.compute_gradients(inputs, buckets, wanted)
        for name, values in net.weights.items():
            flat, gradient = values.data.view(-1), values.grad.view(-1)
            for place in gradient.abs().topk(6).indices.tolist():
                step = 1e-4
                before = flat[place].item()
                flat[place] = before + step
                above = loss()
                flat[place] = before - step
                below = loss()
                flat[place] = before
                difference = (above - below) / (2 * step)
                error = abs(difference - gradient[place].item())
                self.assertLess(error, 1e-2 * abs(difference) + 1e-7, f"{name} {place}")

    def test_half_precision_computes_the_same_outputs(self):
        count = 64
        records = random_records(count, 4)
        outputs = []
        for dtype in (torch.float16, torch.float32):
            inputs, buckets = Decoder(CPU, count, dtype).inputs(records)
            outputs.append(Network(made_up_weights(5), CPU, dtype).output(inputs, buckets))
        self.assertTrue(torch.equal(*outputs))


if __name__ == "__main__":
    unittest.main()
