"""The layered network in training: weights, forward pass and gradients.

The forward pass computes with the integers of the network file (docs/network.md). The gradients
ignore the rounding and are zero where a value is clipped, as in training/src/layered.
"""

import numpy as np
import torch

from checkpoint import BUCKETS, HIDDEN, INPUTS, LANES, OUTPUT_BUCKETS, SECOND
from records import BIAS_COLUMN, COLUMNS

QA = 255.0
QB = 64.0
PAIR_UNIT = 127.0
SUM_UNIT = PAIR_UNIT * QB
OUTPUT_UNIT = 1024.0
# The largest absolute values of the weights, as in training/src.
LIMITS = {
    "features": 0.58,
    "shared": 1.4,
    "bias": 1.98,
    "second": 127 / 64,
    "second_bias": 16.0,
    "third": 127 / 64,
    "third_bias": 16.0,
    "output": 16.0,
    "output_bias": 16.0,
}
# Gradients of single positions are this much larger than those of the loss, so that they are
# normal 16-bit numbers.
GRADIENT_SCALE = 64.0


class Network:
    """A layered network of 1024 neurons on a device."""

    def __init__(
        self, weights: dict[str, np.ndarray], device: torch.device, dtype: torch.dtype
    ) -> None:
        """`dtype` is that of the first layer: float16 holds its integers exactly."""
        self.dtype = dtype
        self.weights = {
            name: torch.tensor(values, device=device, dtype=torch.float32, requires_grad=True)
            for name, values in weights.items()
        }

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights as arrays."""
        return {name: values.detach().cpu().numpy() for name, values in self.weights.items()}

    def first_layer(self) -> torch.Tensor:
        """The integer weights of the first layer, with rows for the bias and for no input."""
        w = self.weights
        merged = w["features"].view(BUCKETS, INPUTS, HIDDEN) + w["shared"]
        rest = torch.zeros(COLUMNS - BIAS_COLUMN - 1, HIDDEN, device=merged.device)
        return Rounded.apply(torch.cat([merged.flatten(0, 1), w["bias"], rest]), QA)

    def output(self, inputs: torch.Tensor, buckets: torch.Tensor) -> torch.Tensor:
        """The outputs as logits."""
        w = self.weights
        pairs = Pairs.apply(Accumulate.apply(inputs, self.first_layer(), self.dtype))
        own, their = pairs.chunk(2)
        second = Rounded.apply(w["second"], QB)
        # A product with ones in the place of each bucket: the gradient of an index is slow.
        of_bucket = torch.nn.functional.one_hot(buckets, OUTPUT_BUCKETS).to(second.dtype)
        sums = _of_bucket(torch.cat([own, their], 1) @ second.T, buckets)
        sums = sums + of_bucket @ Rounded.apply(w["second_bias"], SUM_UNIT)[:, :SECOND]
        activations = torch.cat([Clip.apply(sums), Square.apply(sums)], 1)

        third = Rounded.apply(w["third"], QB).view(OUTPUT_BUCKETS, LANES, LANES)
        sums = _of_bucket(activations @ third.transpose(0, 1).flatten(1), buckets)
        sums = sums + of_bucket @ Rounded.apply(w["third_bias"], SUM_UNIT)
        # The sums of the output may exceed the integers that 32 bits hold.
        of_bucket = of_bucket.double()
        weights = of_bucket @ Rounded.apply(w["output"], OUTPUT_UNIT).double()
        biases = Rounded.apply(w["output_bias"][0, :OUTPUT_BUCKETS], PAIR_UNIT * OUTPUT_UNIT)
        output = (Clip.apply(sums).double() * weights).sum(1) + of_bucket @ biases.double()
        return output / (PAIR_UNIT * OUTPUT_UNIT)

    def compute_gradients(
        self, inputs: torch.Tensor, buckets: torch.Tensor, wanted: torch.Tensor
    ) -> torch.Tensor:
        """Sets the gradients to those of the mean loss of a batch. Returns the mean loss."""
        for values in self.weights.values():
            values.grad = None
        losses = (torch.sigmoid(self.output(inputs, buckets)) - wanted) ** 2
        (losses.sum() * GRADIENT_SCALE).backward()
        gradients = [values.grad for values in self.weights.values()]
        torch._foreach_mul_(gradients, 1.0 / (GRADIENT_SCALE * len(wanted)))
        return losses.detach().mean()

    @torch.no_grad()
    def clamp(self) -> None:
        """Keeps the weights within the range of their integers."""
        for name, values in self.weights.items():
            values.clamp_(-LIMITS[name], LIMITS[name])


def _of_bucket(sums: torch.Tensor, buckets: torch.Tensor) -> torch.Tensor:
    """Of the sums of all output buckets, those of each position's bucket."""
    sums = sums.view(len(buckets), OUTPUT_BUCKETS, -1)
    index = buckets[:, None, None].expand(-1, 1, sums.shape[2])
    return sums.gather(1, index).squeeze(1)


class Rounded(torch.autograd.Function):
    """Weights as integers of a unit, halves to even."""

    @staticmethod
    def forward(ctx, weights, unit):
        ctx.unit = unit
        return torch.round(weights * unit)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.unit, None


class Accumulate(torch.autograd.Function):
    """The accumulators: the product of the inputs and the weights, in the narrow `dtype`. Sums of
    integers beyond its exact ones are rounded, but those are clipped next."""

    @staticmethod
    def forward(ctx, inputs, weights, dtype):
        ctx.save_for_backward(inputs)
        ctx.wide = weights.dtype
        return inputs @ weights.to(dtype)

    @staticmethod
    def backward(ctx, gradient):
        (inputs,) = ctx.saved_tensors
        if gradient.is_cuda and gradient.dtype != torch.float32:
            return None, torch.mm(inputs.T, gradient, out_dtype=torch.float32), None
        return None, inputs.T.to(ctx.wide) @ gradient.to(ctx.wide), None


def _wide(sums: torch.Tensor) -> torch.Tensor:
    """The sums with at least 32 bits, so that products of two are exact."""
    return sums.to(torch.promote_types(sums.dtype, torch.float32))


def pair_products(sums: torch.Tensor) -> torch.Tensor:
    """The products of the pairs of clipped neurons, 0 to 127."""
    first, second = _wide(sums).clamp(0.0, QA).chunk(2, dim=1)
    return torch.floor(first * second * (1.0 / 512.0))


def pair_gradients(sums: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    """The gradients of the sums from those of the products."""
    wide = _wide(sums)
    first, second = wide.clamp(0.0, QA).chunk(2, dim=1)
    gradient = gradient * (1.0 / 512.0)
    both = torch.cat([gradient * second, gradient * first], 1)
    return torch.where((wide > 0.0) & (wide < QA), both, 0.0).to(sums.dtype)


class Pairs(torch.autograd.Function):
    """The products of the pairs."""

    @staticmethod
    def forward(ctx, sums):
        ctx.save_for_backward(sums)
        return pair_products(sums)

    @staticmethod
    def backward(ctx, gradient):
        (sums,) = ctx.saved_tensors
        return pair_gradients(sums, gradient)


class Clip(torch.autograd.Function):
    """Sums as activations: 0 to 127."""

    @staticmethod
    def forward(ctx, sums):
        ctx.save_for_backward(sums)
        return torch.floor(sums / QB).clamp(0.0, PAIR_UNIT)

    @staticmethod
    def backward(ctx, gradient):
        (sums,) = ctx.saved_tensors
        return torch.where((sums > 0.0) & (sums < SUM_UNIT), gradient / QB, 0.0)


class Square(torch.autograd.Function):
    """The squares of sums as activations: 0 to 127."""

    MOST = SUM_UNIT + 63.0

    @staticmethod
    def forward(ctx, sums):
        ctx.save_for_backward(sums)
        size = sums.abs().clamp(max=Square.MOST).int()
        return ((size * size) >> 19).float()

    @staticmethod
    def backward(ctx, gradient):
        (sums,) = ctx.saved_tensors
        slope = sums * (2.0 / (1 << 19))
        return torch.where(sums.abs() < Square.MOST, gradient * slope, 0.0)
