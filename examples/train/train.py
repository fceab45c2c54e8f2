"""Trains a LoRA adapter on Longreach's training data, staged by length, and answers held-out prompts with it.

    python train.py train DATA.jsonl.xz ... --model MODEL -o OUT [--minutes 12]
    python train.py convert MODEL.gguf -o CHECKPOINT
    python train.py answer PROMPTS.jsonl ... --model MODEL [--adapter OUT] -o ANSWERS/

MODEL is a GGUF file or a Hugging Face checkpoint (folder or name). DATA comes from `longreach export BENCH --to sft`
(or `data.py`), PROMPTS from `longreach export BENCH --to jsonl`. OUT gets a PEFT adapter and `adapter.gguf` beside it,
which `longreach run BENCH -m embedded -M lora=OUT/adapter.gguf` runs. Longreach itself is not needed here: only torch,
transformers, peft, gguf and numpy.

How it trains. The stages of the data are learned in order (a paragraph and one claim first), each with a share of the
earlier ones; a stage ends when validation is good enough, when it stops improving, or when its time is up. Batches hold
examples of similar length, padded on the right: with causal attention no mask is needed, so the fast kernels run,
without gradient checkpointing. Every class (faithful, hallucinated; answered, not in the text) has the same number of
examples in a batch. The loss is on the answer only: one unit on the token that decides it (the verdict, the first token
of an answer), and `--rest` spread over its other tokens.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import lzma
import math
import re
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

DECISION = re.compile(r'"verdict":\s*"|^(?:Question \d+: |问题\d+：)|ANSWER: ', re.MULTILINE)
"""What stands before the token that decides an answer."""
ABSENT = re.compile(r"not mentioned|does not say|没有提|未提|没有说", re.IGNORECASE)
TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
GGUF_NAMES = dict(
    zip(
        TARGETS,
        ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"),
        strict=True,
    )
)
CLAIM = "claim"
"""The first stage: a paragraph and one sentence about it."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


# ---------------------------------------------------------------------------------------------------- data


@dataclass
class Examples:
    """Tokenized examples: all ids in one array, and where each example and its answer begin."""

    ids: np.ndarray
    start: np.ndarray
    """Place of each example's first token; one more entry for the end."""
    answer: np.ndarray
    """Tokens of each prompt."""
    decision: np.ndarray
    """Place of the deciding token in the example."""
    kind: list[str]
    """Class: family, language, verdict."""
    stage: list[str]
    split: list[str]

    def __len__(self) -> int:
        return len(self.kind)


def read_lines(paths: list[Path]) -> list[dict[str, Any]]:
    """JSON lines, plain or compressed."""
    openers: dict[str, Any] = {".xz": lzma.open, ".gz": gzip.open}
    lines: list[dict[str, Any]] = []
    for path in paths:
        with openers.get(path.suffix, open)(path, "rt", encoding="utf-8") as file:
            lines += [json.loads(line) for line in file if line.strip()]
    return lines


def tokenize(lines: list[dict[str, Any]], tokenizer: Any, longest: int) -> Examples:
    """Chat lines as token ids; those beyond `longest` tokens are left out."""
    head, tail = around_message(tokenizer)
    end = end_of_turn(tokenizer)
    ids: list[np.ndarray] = []
    answer, decision, kind, stage, split = [], [], [], [], []
    for at in range(0, len(lines), 4096):
        part = lines[at : at + 4096]
        asked = [head + line["messages"][0]["content"] + tail for line in part]
        given = [line["messages"][1]["content"] for line in part]
        prompts = tokenizer(asked, add_special_tokens=False)["input_ids"]
        answers = tokenizer([text + end for text in given], add_special_tokens=False, return_offsets_mapping=True)
        for line, text, prompt, own, spans in zip(
            part, given, prompts, answers["input_ids"], answers["offset_mapping"], strict=True
        ):
            if len(prompt) + len(own) > longest:
                continue
            found = DECISION.search(text)
            place = found.end() if found else 0
            token = next(number for number, (_, stop) in enumerate(spans) if stop > place)
            ids.append(np.array(prompt + own, dtype=np.int32))
            answer.append(len(prompt))
            decision.append(len(prompt) + token)
            kind.append(class_of(line, text))
            single = "+" in line["id"] and line["stage"] == "256"
            stage.append(CLAIM if single else line["stage"])
            split.append(line["split"])
    start = np.concatenate([[0], np.cumsum([len(one) for one in ids])]).astype(np.int64)
    return Examples(np.concatenate(ids), start, np.array(answer), np.array(decision), kind, stage, split)


def class_of(line: dict[str, Any], text: str) -> str:
    """The class that batches balance: family, language, and what the answer decides."""
    language = "zh" if re.search(r"[\u4e00-\u9fff]", line["messages"][0]["content"]) else "en"
    verdict = re.search(r'"verdict":\s*"([^"]+)"', text)
    decided = ("faithful" if '"findings": []' in text else "hallucinated") if verdict else ""
    return f"{line.get('family', 'novel')} {language} {decided or ('absent' if ABSENT.search(text) else 'answer')}"


def around_message(tokenizer: Any) -> tuple[str, str]:
    """What the chat template puts before and after a user's message."""
    mark = "@@@"
    text = tokenizer.apply_chat_template(
        [{"role": "user", "content": mark}], tokenize=False, add_generation_prompt=True
    )
    head, _, tail = text.partition(mark)
    return head, tail


def end_of_turn(tokenizer: Any) -> str:
    """What ends a reply, by the chat template: a tokenizer read from a GGUF file may name another token as its end."""
    chat = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "@@@"}]
    return str(tokenizer.apply_chat_template(chat, tokenize=False)).partition("@@@")[2].strip() or tokenizer.eos_token


def stage_order(stages: list[str]) -> list[str]:
    """Shortest first: claim, 256, 512, 1k, 2k, ..."""
    size = lambda name: -1 if name == CLAIM else float(name.replace("k", "e3"))  # noqa: E731
    return sorted(set(stages), key=size)


class Batches:
    """Endless batches over some examples: classes balanced, similar lengths together."""

    def __init__(self, data: Examples, pools: list[tuple[float, np.ndarray]], tokens: int, rng: np.random.Generator):
        self.data, self.tokens, self.rng = data, tokens, rng
        self.queues: list[tuple[float, list[Any]]] = []
        for share, chosen in pools:
            by_class: dict[str, list[int]] = defaultdict(list)
            for number in chosen:
                by_class[data.kind[number]].append(int(number))
            self.queues += [(share / len(by_class), self._endless(own)) for own in by_class.values()]
        self.ready: list[np.ndarray] = []

    def _endless(self, own: list[int]) -> Any:
        while True:
            yield from self.rng.permutation(own)

    def next(self) -> np.ndarray:
        """The numbers of the examples in the next batch."""
        if not self.ready:
            drawn: list[int] = []
            wanted = 3000
            for share, queue in self.queues:
                drawn += [int(next(queue)) for _ in range(max(1, round(share * wanted)))]
            # By prompt, not in all: the answer's length gives its class away, and would put one class in a batch.
            drawn.sort(key=lambda number: (self.data.answer[number], self.rng.random()))
            batch: list[int] = []
            widest = 0
            for number in drawn:
                length = int(self.data.start[number + 1] - self.data.start[number])
                if batch and max(widest, length) * (len(batch) + 1) > self.tokens:
                    self.ready.append(np.array(batch))
                    batch, widest = [], 0
                batch, widest = [*batch, number], max(widest, length)
            self.ready += [np.array(batch)] if len(batch) > 1 else []
            self.rng.shuffle(self.ready)
        return self.ready.pop()


def tensors(data: Examples, batch: np.ndarray, rest: float) -> dict[str, torch.Tensor]:
    """A batch on the device: ids, and for each answer token its place, its id and its weight."""
    lengths = data.start[batch + 1] - data.start[batch]
    width = int(-(-lengths.max() // 64) * 64)
    ids = np.zeros((len(batch), width), dtype=np.int64)
    places, wanted, weights, deciding = [], [], [], []
    for row, number in enumerate(batch):
        own = data.ids[data.start[number] : data.start[number + 1]]
        ids[row, : len(own)] = own
        first, decided = int(data.answer[number]), int(data.decision[number])
        span = np.arange(first, len(own))
        weight = np.full(len(span), rest / max(1, len(span) - 1))
        weight[decided - first] = 1.0
        places.append(row * width + span - 1)  # the hidden state before a token predicts it
        wanted.append(own[span])
        weights.append(weight)
        deciding.append(sum(map(len, places[:-1])) + decided - first)
    made = {
        "ids": torch.from_numpy(ids),
        "places": torch.from_numpy(np.concatenate(places)),
        "wanted": torch.from_numpy(np.concatenate(wanted).astype(np.int64)),
        "weights": torch.from_numpy(np.concatenate(weights).astype(np.float32)),
        "deciding": torch.from_numpy(np.array(deciding)),
        "rows": torch.from_numpy(np.repeat(np.arange(len(batch)), [len(one) for one in places])),
    }
    if DEVICE == "cuda":
        return {name: one.pin_memory().to(DEVICE, non_blocking=True) for name, one in made.items()}
    return made


# ---------------------------------------------------------------------------------------------------- model


def load(model: str, dtype: torch.dtype) -> tuple[Any, Any]:
    """Model and tokenizer from a GGUF file or a Hugging Face checkpoint."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    path = Path(model)
    where = {"gguf_file": path.name} if path.suffix == ".gguf" else {}
    name = str(path.parent) if where else model
    tokenizer = AutoTokenizer.from_pretrained(name, **where)
    loaded = AutoModelForCausalLM.from_pretrained(name, dtype=dtype, attn_implementation="sdpa", **where)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return loaded.to(DEVICE), tokenizer


def answer_logits(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """Logits where answer tokens are predicted, and nowhere else: the vocabulary is most of a small model's cost."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    hidden = inner.model(input_ids=batch["ids"], use_cache=False).last_hidden_state
    return inner.lm_head(hidden.flatten(0, 1)[batch["places"]]).float()


def write_gguf(adapter: Path, base: str, config: Any, out: Path) -> None:
    """A PEFT adapter as a GGUF adapter for llama.cpp. Its query and key rows are in llama.cpp's order for rotary
    embeddings; transformers undoes that order when it loads a GGUF, so it is applied here again."""
    import gguf
    from safetensors.numpy import load_file

    settings = json.loads((adapter / "adapter_config.json").read_text())
    writer = gguf.GGUFWriter(out, architecture(base, config))
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(settings["lora_alpha"]))
    permuted = config.model_type in ("llama", "mistral")
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for name, weight in sorted(load_file(adapter / "adapter_model.safetensors").items()):
        found = re.search(r"layers\.(\d+)\.\w+\.(\w+_proj)\.lora_([AB])", name)
        if found is None:
            raise SystemExit(f"{adapter}: llama.cpp has no place for {name}; train only {', '.join(TARGETS)}")
        layer, module, side = found.groups()
        if side == "B" and permuted and module in heads:
            count = heads[module]
            split = weight.reshape(count, 2, weight.shape[0] // count // 2, weight.shape[1])
            weight = split.swapaxes(1, 2).reshape(weight.shape)
        tensor = np.ascontiguousarray(weight.astype(np.float16))
        writer.add_tensor(f"blk.{layer}.{GGUF_NAMES[module]}.weight.lora_{side.lower()}", tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def architecture(base: str, config: Any) -> str:
    """llama.cpp's name of the base's architecture: an adapter for another one is refused."""
    if Path(base).suffix != ".gguf":
        return str(config.model_type)
    import gguf

    field = gguf.GGUFReader(base).fields["general.architecture"]
    return bytes(field.parts[field.data[0]]).decode()


# ---------------------------------------------------------------------------------------------------- training


def mcc(counts: dict[tuple[bool, bool], int]) -> float:
    """Matthews' correlation coefficient of (truth, answer) counts; 0 where it is undefined."""
    tp, tn, fp, fn = (counts.get(key, 0) for key in ((True, True), (False, False), (False, True), (True, False)))
    under = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return (tp * tn - fp * fn) / under if under else 0.0


@torch.no_grad()
def validate(model: Any, data: Examples, chosen: np.ndarray, tokens: int) -> dict[str, float]:
    """MCC of verdicts by language, and the share of other answers whose every token is right."""
    model.eval()
    order = sorted(chosen.tolist(), key=lambda number: data.answer[number])
    right: dict[str, list[float]] = defaultdict(list)
    counts: dict[str, dict[tuple[bool, bool], int]] = defaultdict(lambda: defaultdict(int))
    at = 0
    while at < len(order):
        longest = int(data.answer[order[min(at + 255, len(order) - 1)]]) + 300
        batch = np.array(order[at : at + max(1, tokens // longest)])
        at += len(batch)
        made = tensors(data, batch, 0.5)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            hit = (answer_logits(model, made).argmax(-1) == made["wanted"]).float()
        whole = torch.ones(len(batch), device=hit.device).scatter_reduce(0, made["rows"], hit, "amin")
        decided = hit[made["deciding"]]
        for number, all_right, first_right in zip(batch, whole.tolist(), decided.tolist(), strict=True):
            _, language, label = data.kind[number].split(" ", 2)
            if label in ("faithful", "hallucinated"):
                truth = label == "hallucinated"
                counts[language][truth, truth if first_right else not truth] += 1
            else:
                right[f"{label} {language}"].append(all_right)
    model.train()
    scores = {f"mcc {language}": mcc(found) for language, found in sorted(counts.items())}
    return scores | {name: float(np.mean(found)) for name, found in sorted(right.items())}


def train(given: argparse.Namespace) -> None:
    begun = time.monotonic()
    from peft import LoraConfig, PeftModel, get_peft_model

    torch.manual_seed(given.seed)
    torch.set_float32_matmul_precision("high")
    rng = np.random.default_rng(given.seed)
    model, tokenizer = load(given.model, torch.bfloat16 if DEVICE == "cuda" else torch.float32)
    if given.layers:
        model.model.layers = model.model.layers[: given.layers]
        model.config.num_hidden_layers = given.layers
    data = tokenize(read_lines(given.data), tokenizer, given.longest)
    print(f"{len(data)} examples, {len(data.ids):,} tokens, ready after {time.monotonic() - begun:.0f} s", flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    state_file = given.out / "state.pt"
    resumed = torch.load(state_file, weights_only=True) if given.resume and state_file.exists() else None
    if resumed:
        model = PeftModel.from_pretrained(model, given.out, is_trainable=True)
    else:
        config = LoraConfig(r=given.rank, lora_alpha=2 * given.rank, target_modules=list(TARGETS), lora_dropout=0.0)
        model = get_peft_model(model, config)
    for weight in model.parameters():
        weight.data = weight.data.float() if weight.requires_grad else weight.data
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=given.lr, weight_decay=0.0, betas=(0.9, 0.98), fused=DEVICE == "cuda")
    step = seen = first_stage = 0
    if resumed:
        optimizer.load_state_dict(resumed["optimizer"])
        step, first_stage = resumed["step"], resumed["stage"]
    forward = torch.compile(answer_logits, dynamic=True) if given.compile else answer_logits
    stages = [name for name in stage_order(data.stage) if not given.stages or name in given.stages.split(",")]
    member = {
        (stage, split): np.array([n for n in range(len(data)) if (data.stage[n], data.split[n]) == (stage, split)])
        for stage in stages
        for split in ("train", "validation")
    }
    stages = [stage for stage in stages if len(member[stage, "train"])]
    print("stage      step  seconds  tokens/s  padding   loss  validation", flush=True)
    history: list[dict[str, Any]] = []
    for place, stage in enumerate(stages):
        if place < first_stage:
            continue
        left = 60 * given.minutes - (time.monotonic() - begun)
        # Time is shared among the stages that are left; a stage that ends early leaves its time to the others.
        until = time.monotonic() + left / (len(stages) - place)
        pools = [(1.0 if not place else 0.7, member[stage, "train"])]
        pools += [(0.3 / place, member[earlier, "train"]) for earlier in stages[:place]]
        batches = Batches(data, pools, given.batch_tokens, rng)
        held = member[stage, "validation"]
        held = rng.permutation(held)[: given.validation] if len(held) else held
        best, stale, losses = -1.0, 0, []
        since, since_tokens, since_padded, next_look = time.monotonic(), 0, 0, step + given.every
        while True:
            made = tensors(data, batch := batches.next(), given.rest)
            elapsed = (time.monotonic() - begun) / (60 * given.minutes)
            rate = (
                given.lr * min(1.0, (step + 1) / 40) * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * min(1.0, elapsed))))
            )
            for group in optimizer.param_groups:
                group["lr"] = rate
            with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
                logits = forward(model, made)
            loss = (torch.nn.functional.cross_entropy(logits, made["wanted"], reduction="none") * made["weights"]).sum()
            loss = loss / len(batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            losses.append(loss.detach())
            step += 1
            real = int((data.start[batch + 1] - data.start[batch]).sum())
            seen, since_tokens, since_padded = seen + real, since_tokens + real, since_padded + made["ids"].numel()
            over = time.monotonic() > until or (given.steps and step >= given.steps)
            if step < next_look and not over:
                continue
            mean = torch.stack(losses).mean().item()  # the only place that waits for the device
            seconds = time.monotonic() - since
            scores = validate(model, data, held, given.batch_tokens) if len(held) else {}
            shown = "  ".join(f"{name} {value:.2f}" for name, value in scores.items())
            padding = 1 - since_tokens / since_padded
            speed = since_tokens / seconds
            total = time.monotonic() - begun
            print(
                f"{stage:<8} {step:>6} {total:>8.0f} {speed:>9,.0f} {padding:>7.1%} {mean:>6.3f}  {shown}", flush=True
            )
            history.append({"stage": stage, "step": step, "seconds": total, "tokens": seen, "loss": mean, **scores})
            level = float(np.mean(list(scores.values()))) if scores else 0.0
            stale = 0 if level > best + 0.005 else stale + 1
            best = max(best, level)
            losses, since, since_tokens, since_padded, next_look = [], time.monotonic(), 0, 0, step + given.every
            learned = bool(scores) and min(scores.values()) >= given.go_on
            if over or (place < len(stages) - 1 and (learned or stale >= given.patience)):
                break
        model.save_pretrained(given.out)
        torch.save({"optimizer": optimizer.state_dict(), "step": step, "stage": place + 1}, state_file)
        if time.monotonic() - begun > 60 * given.minutes or (given.steps and step >= given.steps):
            break
    (given.out / "history.json").write_text(json.dumps(history, indent=1) + "\n")
    write_gguf(given.out, given.model, model.get_base_model().config, given.out / "adapter.gguf")
    size = (given.out / "adapter.gguf").stat().st_size
    print(f"{seen:,} tokens in {time.monotonic() - begun:.0f} s; {given.out / 'adapter.gguf'}: {size / 1e6:.1f} MB")


# ---------------------------------------------------------------------------------------------------- answering


@torch.no_grad()
def answer(given: argparse.Namespace) -> None:
    """Greedy answers to exported prompts, as JSON lines that `longreach import` reads; one file per prompt file."""
    model, tokenizer = load(given.model, torch.bfloat16 if DEVICE == "cuda" else torch.float32)
    if given.adapter:
        from peft import PeftModel

        model = PeftModel.from_pretrained(model, given.adapter).merge_and_unload()
    model.eval()
    head, tail = around_message(tokenizer)
    ends = [tokenizer.convert_tokens_to_ids(end_of_turn(tokenizer)), tokenizer.eos_token_id]
    given.out.mkdir(parents=True, exist_ok=True)
    window = model.config.max_position_embeddings
    tokenizer.padding_side = "left"
    for path in given.prompts:
        begun = time.monotonic()
        lines = read_lines([path])[: given.limit or None]
        ids = tokenizer([head + line["prompt"] + tail for line in lines], add_special_tokens=False)["input_ids"]
        order = sorted(range(len(lines)), key=lambda number: len(ids[number]))
        answers: dict[int, dict[str, Any]] = {}
        while order:
            # From the longest down, so that the first batch shows whether the memory is enough.
            width = len(ids[order[-1]])
            count = max(1, given.batch_tokens // (width + given.max_new))
            batch, order = order[-count:], order[:-count]
            most = min(given.max_new, max(lines[number]["max_tokens"] for number in batch), max(1, window - width))
            padded = tokenizer.pad({"input_ids": [ids[number] for number in batch]}, return_tensors="pt").to(DEVICE)
            made = model.generate(
                **padded, max_new_tokens=most, do_sample=False, pad_token_id=tokenizer.pad_token_id, eos_token_id=ends
            )[:, padded["input_ids"].shape[1] :]
            for number, tokens in zip(batch, made.tolist(), strict=True):
                ended = any(token in ends for token in tokens)
                own = list(itertools.takewhile(lambda token: token not in ends, tokens))
                answers[number] = {
                    "id": lines[number]["id"],
                    "text": tokenizer.decode(own, skip_special_tokens=True),
                    "stop": "stop" if ended else "length",
                    "sha256": lines[number].get("sha256", ""),
                    "usage": {"prompt_tokens": len(ids[number]), "completion_tokens": len(own)},
                }
        with (given.out / path.name).open("w", encoding="utf-8") as file:
            for number in range(len(lines)):
                file.write(json.dumps(answers[number], ensure_ascii=False) + "\n")
        print(f"{path.name}: {len(lines)} answers in {time.monotonic() - begun:.0f} s", flush=True)


def convert(given: argparse.Namespace) -> None:
    """The model as a Hugging Face checkpoint."""
    from transformers import AutoModelForCausalLM

    loaded, tokenizer = load(given.model, torch.bfloat16)
    config = loaded.config
    if hasattr(config, "quantization_config"):
        # The weights are no longer quantized, but the loaded model does not know it and refuses to be saved.
        del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.load_state_dict(loaded.state_dict())
    model.save_pretrained(given.out)
    tokenizer.save_pretrained(given.out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("train", help="train an adapter")
    one.add_argument("data", type=Path, nargs="+")
    one.add_argument("--model", required=True)
    one.add_argument("-o", "--out", type=Path, required=True)
    one.add_argument("--minutes", type=float, default=12, help="for everything, tokenizing included")
    one.add_argument("--steps", type=int, default=0, help="stop after so many steps")
    one.add_argument("--stages", default="", help="only these: claim,256,512,1k,2k")
    one.add_argument("--rank", type=int, default=16)
    one.add_argument("--lr", type=float, default=1e-3)
    one.add_argument("--rest", type=float, default=0.5, help="weight of an answer's tokens beside the deciding one")
    one.add_argument("--batch-tokens", type=int, default=32_768)
    one.add_argument("--longest", type=int, default=8_192, help="tokens of an example")
    one.add_argument("--every", type=int, default=50, help="steps between validations")
    one.add_argument("--validation", type=int, default=600, help="examples per validation")
    one.add_argument("--go-on", type=float, default=0.95, help="a stage ends when every validation score reaches this")
    one.add_argument("--patience", type=int, default=6, help="or after so many validations without progress")
    one.add_argument("--layers", type=int, default=0, help="only the first layers of the model: for a quick test")
    one.add_argument("--seed", type=int, default=0)
    one.add_argument("--compile", action="store_true")
    one.add_argument("--resume", action="store_true", help="continue after the last finished stage")
    two = verbs.add_parser("answer", help="answer exported prompts")
    two.add_argument("prompts", type=Path, nargs="+")
    two.add_argument("--model", required=True)
    two.add_argument("--adapter", type=Path)
    two.add_argument("-o", "--out", type=Path, required=True)
    two.add_argument("--max-new", type=int, default=400)
    two.add_argument("--batch-tokens", type=int, default=262_144)
    two.add_argument("--limit", type=int, default=0, help="only the first prompts of each file")
    three = verbs.add_parser("convert", help="write a GGUF file as a checkpoint, which loads much faster")
    three.add_argument("model")
    three.add_argument("-o", "--out", type=Path, required=True)
    given = parser.parse_args()
    {"train": train, "answer": answer, "convert": convert}[given.verb](given)


if __name__ == "__main__":
    main()
