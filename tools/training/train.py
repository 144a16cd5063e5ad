"""Trains the scorer from samples and writes it as ONNX: train.py SAMPLES... --out FILE. The same samples give the same model."""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

GRAMS, NUMBERS, BUCKETS = 14, 30, 8192
ROLES = [
    "none", "gross", "net", "tax", "ni", "pension", "deductions", "other-deduction", "payment",
    "year", "employers", "base", "employer", "period", "date", "code", "reference",
]  # fmt: skip
KINDS = ["payslip", "p60", "p45", "register", "other"]
# Partial lessons: a word has one of the roles that are not listed. samples.ts has the same codes.
PARTIAL = {
    252: ["gross", "net", "tax", "ni", "pension"],
    253: ["employer"],
    254: ["employer", "period", "date", "code", "reference"],
}
UNTAUGHT = 255
WIDTH, LAYERS, HEADS, HIDDEN = 96, 4, 4, 192
# The scorer is the mean of several networks, which differ in their first weights and in the order of the pages.
SEEDS = [1, 2]


def pages_of(files):
    """The pages of sample files as arrays; see samples.ts for their format."""
    pages = []
    for file in files:
        data = numpy.memmap(file, dtype=numpy.uint8, mode="r")
        at = 0
        while at < len(data):
            count, kind = numpy.frombuffer(data[at : at + 8], numpy.int32)
            at += 8
            parts = []
            for kind_of, width in ((numpy.uint16, GRAMS), (numpy.float32, NUMBERS), (numpy.float32, 4), (numpy.uint8, 1)):
                size = int(count) * width * numpy.dtype(kind_of).itemsize
                parts.append(numpy.frombuffer(data[at : at + size], kind_of).reshape(int(count), width))
                at += size
            pages.append((*parts, int(kind)))
    return pages


class Pairs(nn.Module):
    """The relation of two tokens, as a bias for each head of each layer."""

    def __init__(self):
        super().__init__()
        self.mix = nn.Sequential(nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, HEADS * LAYERS))

    def forward(self, boxes):
        left, top, right, bottom = [part.squeeze(-1) for part in boxes.split(1, -1)]
        across, down = (left + right) / 2, (top + bottom) / 2

        def apart(a, b):
            return b.unsqueeze(-2) - a.unsqueeze(-1)

        dx, dy = apart(across, across), apart(down, down)
        dl, dr = apart(left, left), apart(right, right)
        after, before = apart(right, left), -apart(left, right)
        shared = torch.minimum(right.unsqueeze(-1), right.unsqueeze(-2)) - torch.maximum(left.unsqueeze(-1), left.unsqueeze(-2))
        features = [
            torch.tanh(dx / 4), torch.tanh(dx / 25), torch.tanh(dy / 1.2), torch.tanh(dy / 5), torch.tanh(dy / 25),
            torch.exp(-(dl.abs())), torch.exp(-(dr.abs())), torch.exp(-(dx.abs())), torch.exp(-(dy / 0.5) ** 2),
            torch.exp(-((dy - 1.4) / 0.7) ** 2), torch.exp(-((dy + 1.4) / 0.7) ** 2),
            torch.tanh(after / 1.5), torch.tanh(after / 12), torch.tanh(before / 1.5), torch.tanh(before / 12),
            torch.tanh(shared / 2), (shared > 0).float(), (dy.abs() < 0.55).float(), torch.exp(-(dr.abs() * 3)), torch.exp(-(dl.abs() * 3)),
        ]  # fmt: skip
        return self.mix(torch.stack(features, -1))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.ask, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.more = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, WIDTH))
        self.drop = nn.Dropout(0.05)

    def forward(self, x, bias):
        batch, count, _ = x.shape
        q, k, v = self.ask(self.first(x)).view(batch, count, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5 + bias
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, count, WIDTH)
        x = x + self.drop(self.out(mixed))
        return x + self.drop(self.more(self.second(x)))


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters = nn.Embedding(BUCKETS, 48, padding_idx=0)
        self.words = nn.Linear(48, WIDTH)
        self.numbers = nn.Linear(NUMBERS, WIDTH)
        self.pairs = Pairs()
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.role = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, len(ROLES)))
        self.kind = nn.Linear(2 * WIDTH, len(KINDS))

    def forward(self, grams, numbers, boxes, mask):
        """`mask` is 1 for a token and 0 for padding."""
        filled = (grams > 0).float().sum(-1, keepdim=True).clamp(min=1)
        words = self.letters(grams).sum(-2) / filled.sqrt()
        x = self.words(words) + self.numbers(numbers)
        bias = self.pairs(boxes).permute(0, 3, 1, 2) + (mask[:, None, None, :] - 1) * 1e4
        for at, layer in enumerate(self.layers):
            x = layer(x, bias[:, at * HEADS : (at + 1) * HEADS])
        x = self.norm(x)
        weight = mask.unsqueeze(-1)
        mean = (x * weight).sum(1) / weight.sum(1)
        most = (x + (weight - 1) * 1e4).max(1).values
        return self.role(x), self.kind(torch.cat([mean, most], -1))


def batch_of(pages, random=None):
    most = max(len(page[0]) for page in pages)
    count = len(pages)
    grams = numpy.zeros((count, most, GRAMS), numpy.int64)
    numbers = numpy.zeros((count, most, NUMBERS), numpy.float32)
    boxes = numpy.zeros((count, most, 4), numpy.float32)
    mask = numpy.zeros((count, most), numpy.float32)
    roles = numpy.full((count, most), -100, numpy.int64)
    for at, page in enumerate(pages):
        n = len(page[0])
        grams[at, :n], numbers[at, :n], boxes[at, :n] = page[0], page[1], page[2]
        mask[at, :n] = 1
        taught = page[3][:, 0].astype(numpy.int64)
        roles[at, :n] = numpy.where(taught == UNTAUGHT, -100, taught)
    if random is not None:
        # Imitates unknown words: some tokens lose groups of letters, and a few lose all of them.
        grams[random.random(grams.shape) < 0.08] = 0
        grams[random.random((count, most)) < 0.03] = 0
    kinds = numpy.array([page[4] for page in pages])
    return [torch.from_numpy(part) for part in (grams, numbers, boxes, mask, roles, kinds)]


def loss_of(role, roles, weights):
    """The loss: for words with a known role as usual, for partial lessons by the probability of the roles that the word does not have."""
    known, loss = (roles >= 0) & (roles < len(ROLES)), role.sum() * 0
    if known.any():
        loss = nn.functional.cross_entropy(role[known], roles[known], weights, label_smoothing=0.01)
    for code, names in PARTIAL.items():
        partial = role[roles == code]
        if len(partial) > 0:
            none = partial.softmax(-1)[:, [ROLES.index(name) for name in names]].sum(-1)
            loss = loss - torch.log((1 - none).clamp(min=1e-4)).sum() / max(1, len(roles))
    return loss


def measured(model, pages):
    """Prints, for each role, the share of its tokens that are found, and the share of the found tokens that are right."""
    model.eval()
    confusion = numpy.zeros((len(ROLES), len(ROLES)), int)
    kinds = []
    with torch.no_grad():
        for at in range(0, len(pages), 16):
            grams, numbers, boxes, mask, roles, kind = batch_of(sorted(pages[at : at + 16], key=lambda page: len(page[0])))
            role, by_kind = model(grams, numbers, boxes, mask)
            known = (roles >= 0) & (roles < len(ROLES))
            numpy.add.at(confusion, (roles[known].numpy(), role.argmax(-1)[known].numpy()), 1)
            kinds += (by_kind.argmax(-1) == kind).tolist()
    model.train()
    for at, name in enumerate(ROLES):
        found, right = confusion[at, at] / max(1, confusion[at].sum()), confusion[at, at] / max(1, confusion[:, at].sum())
        print(f"  {name:16} found {found:.4f} right {right:.4f}")
    print(f"  kind {numpy.mean(kinds):.4f}", flush=True)


def trained(samples, seed):
    """Trains one network. Returns its weights."""
    # With one thread, every machine with the same processor adds in the same order and gets the same sums.
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    random = numpy.random.default_rng(seed)
    pages = pages_of(samples)
    held, pages = pages[:500], pages[500:]
    model = Scorer()
    print(f"network {seed}: {len(pages)} pages, {sum(part.numel() for part in model.parameters())} weights", flush=True)
    # Each batch has pages of similar length, so that little padding is needed. The order is random.
    order = sorted(range(len(pages)), key=lambda at: (len(pages[at][0]) // 8, random.random()))
    batches, start = [], 0
    while start < len(order):
        longest = len(pages[order[min(len(order) - 1, start + 7)]][0])
        size = max(2, min(8, int(200_000 / max(1, longest) ** 2)))
        batches.append(order[start : start + size])
        start += size
    steps = len(batches)
    learn = torch.optim.AdamW(model.parameters(), lr=1.5e-3, weight_decay=0.01)
    rate = torch.optim.lr_scheduler.OneCycleLR(learn, 1.5e-3, steps, pct_start=0.1)
    weights = torch.ones(len(ROLES))
    weights[0] = 0.5
    began, lost = time.time(), []
    queue = []
    for step in range(steps):
        if not queue:
            queue = list(random.permutation(len(batches)))
        grams, numbers, boxes, mask, roles, kinds = batch_of([pages[at] for at in batches[queue.pop()]], random)
        role, kind = model(grams, numbers, boxes, mask)
        loss = loss_of(role.flatten(0, 1), roles.flatten(), weights)
        loss = loss + 0.1 * nn.functional.cross_entropy(kind, kinds)
        learn.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        learn.step()
        rate.step()
        lost.append(loss.item())
        if step % 200 == 199:
            print(f"network {seed}: {step + 1} of {steps}: loss {numpy.mean(lost[-200:]):.4f}, {time.time() - began:.0f} s", flush=True)
    measured(model, held)
    return model.state_dict()


class Together(nn.Module):
    """The scorer for one page: the mean of the networks' probabilities."""

    def __init__(self, models):
        super().__init__()
        self.models = nn.ModuleList(models)

    def forward(self, grams, numbers, boxes):
        mask = torch.ones_like(boxes[:, 0]).unsqueeze(0)
        page = (grams.long().unsqueeze(0), numbers.unsqueeze(0), boxes.unsqueeze(0), mask)
        roles, kinds = zip(*(model(*page) for model in self.models))
        return tuple(torch.stack([one.softmax(-1)[0] for one in all]).mean(0) for all in (roles, kinds))


def save(weights, file):
    models = [Scorer() for _ in weights]
    for model, own in zip(models, weights):
        model.load_state_dict(own)
    count = {0: "tokens"}
    page = (torch.zeros(7, GRAMS, dtype=torch.int32), torch.zeros(7, NUMBERS), torch.zeros(7, 4))
    torch.onnx.export(
        Together(models).eval(), page, file, opset_version=17, input_names=["grams", "numbers", "boxes"], output_names=["roles", "kinds"],
        dynamic_axes={"grams": count, "numbers": count, "boxes": count, "roles": count}, dynamo=False,
    )  # fmt: skip
    halve(file)


def halve(file):
    """Stores large weights with 16 bits, which halves the file. Casts turn them into 32 bits when the model is loaded."""
    model = onnx.load(file)
    graph = model.graph
    for weight in [one for one in graph.initializer if one.data_type == TensorProto.FLOAT and numpy.prod(one.dims) >= 1024]:
        half = f"{weight.name}.half"
        graph.node.insert(0, helper.make_node("Cast", [half], [weight.name], to=TensorProto.FLOAT))
        graph.initializer.append(numpy_helper.from_array(numpy_helper.to_array(weight).astype(numpy.float16), half))
        graph.initializer.remove(weight)
    onnx.save(model, file)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("samples", nargs="+")
    options.add_argument("--out", required=True)
    chosen = options.parse_args()
    with ProcessPoolExecutor(len(SEEDS), mp_context=get_context("spawn")) as pool:
        weights = list(pool.map(trained, [chosen.samples] * len(SEEDS), SEEDS))
    save(weights, chosen.out)


if __name__ == "__main__":
    main()
