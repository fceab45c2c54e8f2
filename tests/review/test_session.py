"""Reviewing a benchmark: decisions that survive anything, a server for one page only, and a new benchmark of them."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.doubles.reviewing import reviewing
from tests.interrupts import heed_interrupts
from tests.present import some

from longreach.api import report, simulate
from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.families.building import check_bench
from longreach.families.grounded.questions import options_of
from longreach.families.reviewing import Card, CardField, ReviewDecision, cohen_kappa, compare_reviewers
from longreach.review_server import (
    ReviewServer,
    ReviewSession,
    apply_review,
    decisions_file,
    read_decisions,
    review_agreement,
    save_decision,
)


@pytest.fixture
def folder(extractive: Bench, tmp_path: Path) -> Path:
    return Path(shutil.copytree(extractive.folder, tmp_path / "b"))


@pytest.fixture
def server(folder: Path) -> Iterator[ReviewServer]:
    with reviewing(ReviewSession(folder)) as started:
        yield started


class Client:
    """Requests with any header."""

    def __init__(self, server: ReviewServer) -> None:
        self.server = server
        self.root = f"/{server.token}/"
        self.host = f"127.0.0.1:{server.server_port}"

    def __call__(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, str, http.client.HTTPMessage]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=10)
        sent = {"Host": self.host} | {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, data, sent)
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        return reply.status, text, reply.headers

    def decide(self, decision: dict[str, object], **headers: str) -> tuple[int, str, http.client.HTTPMessage]:
        own = {"Origin": f"http://{self.host}", "Content_Type": "application/json"} | headers
        return self("POST", f"{self.root}decisions", decision, **own)


@pytest.fixture
def client(server: ReviewServer) -> Client:
    return Client(server)


def test_the_page_and_its_cards(client: Client, folder: Path) -> None:
    status, page, headers = client("GET", client.root)
    assert status == 200
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Frame-Options"] == "DENY"
    assert not [name for name in headers if name.lower().startswith("access-control")]
    assert "connect-src 'self'" in page
    opened = Bench.open(folder)
    questions = [question for question in opened.questions.values() if question.question_type == "reading"]
    for number, question in enumerate(questions):
        status, text, _ = client("GET", f"{client.root}cards/{number}")
        card = json.loads(text)
        assert status == 200
        assert card["id"] == question.id
        assert [field["text"] for field in card["fields"][1:]] == list(options_of(question.text).values())
        assert card["right"] == question.key.answer
        gold = opened.planted[f"gold-{question.id}"].text
        assert card["source"] == gold
        start, end = card["mark"]
        assert question.key.accept[0].split()[0] in gold[start:end]  # of a name, the text may have the first part
        item = next(item for item in opened.items.values() if item.id == f"4000-{question.id}")
        whole = b"".join(bytes(opened.corpus.text[piece.start : piece.end]) for piece in item.context.pieces).decode()  # type: ignore[union-attr]
        assert card["before"] + card["source"] + card["after"] in whole
        assert len(card["before"]) + len(card["after"]) > 500
        assert card["tries"][-1]["outcome"] == "passed"
    assert client("GET", f"{client.root}cards/{len(questions)}")[0] == 404


@pytest.mark.parametrize("path", ["", "cards/0", "decisions", "cards/../", "%2e%2e/"])
def test_only_with_the_token(client: Client, path: str) -> None:
    for token in ("", "wrong", client.server.token[:-1], client.server.token + "x"):
        start = f"/{token}/" if token else "/"
        assert client("GET", f"{start}{path}")[0] == 403
        own = {"Origin": f"http://{client.host}", "Content_Type": "application/json"}
        assert client("POST", f"{start}decisions", {}, **own)[0] == 403
    assert not client.server.session.path.exists()


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", "", "127.0.0.1:{port}."]
)
def test_only_under_its_own_name(client: Client, host: str) -> None:
    named = host.format(port=client.server.server_port)
    assert client("GET", client.root, Host=named)[0] == 403
    card = client.server.session.cards[0]
    assert client.decide({"id": card.id, "verdict": "accept"}, Host=named, Origin=f"http://{named}")[0] == 403
    assert not client.server.session.path.exists()


def test_by_its_other_name(client: Client) -> None:
    name = f"localhost:{client.server.server_port}"
    assert client("GET", client.root, Host=name)[0] == 200
    card = client.server.session.cards[0]
    assert client.decide({"id": card.id, "verdict": "accept"}, Host=name, Origin=f"http://{name}")[0] == 200
    assert client.decide({"id": card.id, "verdict": "reject"}, Host=name)[0] == 403, "another origin than the host"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "https://{host}", "http://{host}.evil.example"])
def test_only_from_its_own_page(client: Client, origin: str) -> None:
    card = client.server.session.cards[0]
    status, _, headers = client.decide({"id": card.id, "verdict": "reject"}, Origin=origin.format(host=client.host))
    assert status == 403
    assert headers["Access-Control-Allow-Origin"] is None
    assert client("GET", client.root, Sec_Fetch_Site="cross-site")[0] == 403
    assert client("OPTIONS", f"{client.root}decisions", Origin="http://evil.example")[0] == 501
    assert not client.server.session.path.exists()


def test_loopback_only(server: ReviewServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.token) >= 43
    with pytest.raises(BadInput, match=f"port {server.server_port} cannot be used on 127.0.0.1"):
        ReviewServer(server.session, server.server_port)


@pytest.mark.parametrize(
    ("decision", "why"),
    [
        (b"not json", "decision: "),
        ({"id": "nobody", "verdict": "accept"}, "there is no card 'nobody'"),
        ({"id": "{id}", "verdict": "perhaps"}, "'verdict'"),
        ({"id": "{id}", "verdict": "accept", "more": 1}, "unknown key 'more'"),
        ({"id": "{id}", "verdict": "reject", "failed": ["boring"]}, "no criterion 'boring'"),
        ({"id": "{id}", "verdict": "edit", "fields": {"question": "  "}}, "the question is empty"),
        ({"id": "{id}", "verdict": "edit", "fields": {"question": "one?\ntwo?"}}, "the question has several lines"),
        ({"id": "{id}", "verdict": "edit", "fields": {"A": "same", "B": "Same"}}, "two options are the same: 'same'"),
        ({"id": "{id}", "verdict": "edit", "fields": {"A": "x" * 300}}, "option A has 300 characters"),
        ({"id": "{id}", "verdict": "edit", "fields": {"G": "seventh"}}, "there is no field 'G'"),
        ({"id": "{id}", "verdict": "edit", "right": "question"}, "'question' is no option"),
    ],
)
def test_what_cannot_be_used_is_refused(client: Client, decision: dict[str, object] | bytes, why: str) -> None:
    sent = decision if isinstance(decision, bytes) else {**decision}
    if isinstance(sent, dict) and sent["id"] == "{id}":
        sent["id"] = client.server.session.cards[0].id
    status, text, _ = client.decide(sent)  # type: ignore[arg-type]
    assert status == 400
    assert why in json.loads(text)["error"]
    assert not client.server.session.path.exists()


def test_odd_requests(client: Client) -> None:
    assert client.decide({"id": "x" * 70_000, "verdict": "accept"})[0] == 413
    assert client.decide({"id": "x", "verdict": "accept"}, Content_Type="text/plain")[0] == 415
    assert client.decide({"id": "x", "verdict": "accept"}, Content_Length="-1")[0] == 411
    assert client("POST", client.root, {}, Origin=f"http://{client.host}", Content_Type="application/json")[0] == 404
    assert client("PUT", client.root)[0] == 501


def test_decisions_are_on_disk_at_once_and_the_bench_stays(client: Client, folder: Path) -> None:
    first, second = (card.id for card in client.server.session.cards[:2])
    status, text, _ = client.decide({"id": first, "verdict": "reject", "failed": ["written", "clear"]})
    assert status == 200
    assert json.loads(text)["counts"] == {"accepted": 0, "edited": 0, "rejected": 1, "undecided": 2}
    client.decide({"id": second, "verdict": "edit", "fields": {"A": "something new"}})
    client.decide({"id": first, "verdict": "accept"})
    path = decisions_file(folder)
    assert path.parent == folder.parent
    assert len(path.read_bytes().splitlines()) == 3
    found, others = read_decisions(path, Bench.open(folder).info.digest)
    assert others == 0
    assert found[first].verdict == "accept", "the last line wins"
    assert found[second].fields == {"A": "something new"}
    assert check_bench(folder) == []


def test_an_edit_that_changes_nothing_is_an_acceptance(client: Client) -> None:
    card = client.server.session.cards[0]
    same = {field.name: field.text for field in card.fields}
    status, text, _ = client.decide({"id": card.id, "verdict": "edit", "fields": same, "right": card.right})
    assert status == 200
    assert json.loads(text)["decision"]["verdict"] == "accept"


def test_a_line_cut_off_is_as_if_never_written(folder: Path) -> None:
    digest = Bench.open(folder).info.digest
    path = decisions_file(folder)
    save_decision(path, digest, ReviewDecision(id="one", verdict="accept"))
    save_decision(path, digest, ReviewDecision(id="two", verdict="reject"))
    whole = path.read_bytes()
    for cut in range(1, len(whole), 5):
        path.write_bytes(whole[:cut])
        before = read_decisions(path, digest)[0]
        save_decision(path, digest, ReviewDecision(id="three", verdict="accept"))
        after = read_decisions(path, digest)[0]
        assert set(after) == {*before, "three"}
    save_decision(path, "another", ReviewDecision(id="four", verdict="accept"))
    assert read_decisions(path, digest)[1] == 1
    assert read_decisions(path.with_name("none"), digest) == ({}, 0)


SERVE = """
import sys
from pathlib import Path
from longreach.review_server import serve_review

serve_review(Path(sys.argv[1]), browser=False, say=lambda line: print(line, flush=True))
"""


def test_a_kill_in_mid_review_keeps_all_decisions(folder: Path) -> None:
    cards = [card.id for card in ReviewSession(folder).cards]
    process = subprocess.Popen([sys.executable, "-c", SERVE, str(folder)], stdout=subprocess.PIPE, text=True)
    address = some(process.stdout).readline().split()[-1]
    host, _, token = address.removeprefix("http://").rstrip("/").partition("/")
    connection = http.client.HTTPConnection(host, timeout=10)
    headers = {"Origin": f"http://{host}", "Content-Type": "application/json"}
    for card in cards[:2]:
        sent = json.dumps({"id": card, "verdict": "reject"}).encode()
        connection.request("POST", f"/{token}/decisions", sent, headers)
        reply = connection.getresponse()
        assert reply.status == 200
        reply.read()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    found = ReviewSession(folder).decisions()
    assert {name: decision.verdict for name, decision in found.items()} == dict.fromkeys(cards[:2], "reject")


BROWSER = """
import os, re, sys, time, urllib.request
from pathlib import Path

log, (place,) = Path(sys.argv[1]), sys.argv[2:]
door = Path(place.removeprefix("file://"))
found = re.search("url=([^\\"]+)", door.read_text())
page = urllib.request.urlopen(urllib.request.Request(found[1], headers={"Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate"}), timeout=20).read().decode()
seen = place, oct(door.stat().st_mode), str("Review of" in page), str(os.getpid())
log.with_suffix(".tmp").write_text("\\n".join(seen))
log.with_suffix(".tmp").rename(log)
time.sleep(600)
"""


def test_a_browser_in_the_foreground_is_served_and_no_command_line_has_the_token(folder: Path, tmp_path: Path) -> None:
    log, browser = tmp_path / "seen", tmp_path / "browser.py"
    browser.write_text(BROWSER)
    env = {**os.environ, "BROWSER": f"{sys.executable} {browser} {log} %s"}
    command = [sys.executable, "-c", SERVE.replace("browser=False", "browser=True"), str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env, preexec_fn=heed_interrupts)
    try:
        token = some(process.stdout).readline().split()[-1].rstrip("/").rpartition("/")[2]
        deadline = time.monotonic() + 60
        while not log.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        place, mode, served, browsing = log.read_text().splitlines()
        lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if os.access(path, os.R_OK)]
        assert any(place.encode() in line for line in lines), "the browser is still in the foreground"
        assert not any(token.encode() in line for line in lines)
        assert mode.endswith("600"), "no other user can read the file with the address"
        assert served == "True"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)  # the review ends though the browser goes on
        os.kill(int(browsing), signal.SIGKILL)
    assert "0 of 3 decided" in some(process.stdout).read()
    assert sorted(path.name for path in folder.parent.glob(".review-*")) == [], "nothing is left behind"


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("", {"Sec_Fetch_Dest": "document"}, 200),
        ("", {"Sec_Fetch_Dest": "iframe"}, 403),
        ("", {"Sec_Fetch_Dest": "empty"}, 403),
        ("cards/0", {"Sec_Fetch_Dest": "document"}, 403),
    ],
)
def test_another_page_can_lead_to_the_page_and_to_nothing_else(
    client: Client, path: str, headers: dict[str, str], status: int
) -> None:
    assert client("GET", f"{client.root}{path}", Sec_Fetch_Site="cross-site", **headers)[0] == status
    own = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "document"}
    assert client.decide({"id": client.server.session.cards[0].id, "verdict": "accept"}, **own)[0] == 403


def test_two_servers_on_one_benchmark_keep_every_decision(folder: Path) -> None:
    with reviewing(ReviewSession(folder)) as one, reviewing(ReviewSession(folder)) as other:
        card = one.session.cards[0].id

        def decide(number: int) -> int:
            return Client((one, other)[number % 2]).decide({"id": card, "verdict": "accept"})[0]

        with ThreadPoolExecutor(8) as pool:
            answered = list(pool.map(decide, range(200)))
    assert answered == [200] * 200
    assert len(decisions_file(folder).read_bytes().splitlines()) == 200


def test_an_interrupt_ends_it_politely(folder: Path) -> None:
    save_decision(
        decisions_file(folder),
        Bench.open(folder).info.digest,
        ReviewDecision(id=ReviewSession(folder).cards[0].id, verdict="accept"),
    )
    command = [sys.executable, "-c", SERVE, str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=heed_interrupts)
    some(process.stdout).readline()
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=20)[0]
    assert process.returncode == 0
    assert "1 of 3 decided: 1 accepted, 0 edited, 0 rejected" in rest
    assert f"longreach review {folder} -o NEW_FOLDER" in rest


def test_the_reviewed_benchmark(folder: Path, tmp_path: Path) -> None:
    old = Bench.open(folder)
    accepted, edited, rejected = ReviewSession(folder).cards
    wrong = next(field.name for field in edited.fields[1:] if field.name != edited.right)
    text = "Who, if “anyone”, said <b>that</b> the café was closed — and why did it take 365 days?"
    for decision in (
        ReviewDecision(id=accepted.id, verdict="accept"),
        ReviewDecision(
            id=edited.id, verdict="edit", fields={"question": text, wrong: "an answer of another length"}, right=wrong
        ),
        ReviewDecision(id=rejected.id, verdict="reject", failed=("written", "specific")),
    ):
        save_decision(decisions_file(folder), old.info.digest, decision)
    new = apply_review(folder, tmp_path / "new")
    assert check_bench(tmp_path / "new") == [], "every count and digest is exact"
    assert check_bench(folder) == []
    assert new.info.digest != old.info.digest
    assert not [name for name in (*new.items, *new.questions, *new.planted) if rejected.id in name]
    assert len(new.items) == len(old.items) * 2 // 3
    for name, item in new.items.items():
        changed = edited.id in name
        assert (item.sha256 != old.items[name].sha256) == changed
        assert (item == old.items[name]) != changed
        assert item.context == old.items[name].context
    for question_type in ("", ".gold_only", ".closed_book"):
        question = new.questions[f"{edited.id}{question_type}"]
        assert question.text.splitlines()[0] == text
        assert question.key.answer == wrong
        assert question.key.accept == ("an answer of another length",)
        assert set(question.key.rivals) == set(options_of(question.text).values()) - {"an answer of another length"}
        assert new.questions[f"{accepted.id}{question_type}"] == old.questions[f"{accepted.id}{question_type}"]
    review = new.build["reviews"][0]
    assert review["of"] == old.info.digest
    assert (review["accepted"], review["edited"], review["rejected"], review["undecided"]) == (1, 1, 1, 0)
    assert review["failed"] == {"clear": 0, "suitable": 0, "answerable": 0, "specific": 1, "written": 1}
    assert [one["verdict"] for one in review["decisions"]] == ["accept", "edit", "reject"]
    assert new.build["history"] == old.build["history"]
    assert sum(new.build["letters"].values()) == 2
    again = apply_review(folder, tmp_path / "again")
    assert again.info == new.info, "the same decisions give the same bytes"


def test_a_reviewed_benchmark_can_be_reviewed_again(folder: Path, tmp_path: Path) -> None:
    first, second, _ = (card.id for card in ReviewSession(folder).cards)
    save_decision(decisions_file(folder), Bench.open(folder).info.digest, ReviewDecision(id=first, verdict="reject"))
    new = apply_review(folder, tmp_path / "new")
    assert ReviewSession(tmp_path / "new").decisions() == {}
    save_decision(decisions_file(tmp_path / "new"), new.info.digest, ReviewDecision(id=second, verdict="reject"))
    last = apply_review(tmp_path / "new", tmp_path / "last")
    assert [review["rejected"] for review in last.build["reviews"]] == [1, 1]
    assert len(ReviewSession(tmp_path / "last").cards) == 1


def test_no_new_benchmark_without_good_decisions(folder: Path, tmp_path: Path) -> None:
    digest = Bench.open(folder).info.digest
    path = decisions_file(folder)
    with pytest.raises(BadInput, match=r"there are no decisions on .*; make some with: longreach review"):
        apply_review(folder, tmp_path / "new")
    save_decision(path, "another", ReviewDecision(id="one", verdict="accept"))
    with pytest.raises(BadInput, match=r"1 in b\.review\*\.jsonl are about another benchmark"):
        apply_review(folder, tmp_path / "new")
    cards = [card.id for card in ReviewSession(folder).cards]
    for card in cards:
        save_decision(path, digest, ReviewDecision(id=card, verdict="reject"))
    with pytest.raises(BadInput, match=r"all questions of .* were rejected"):
        apply_review(folder, tmp_path / "new")
    save_decision(path, digest, ReviewDecision(id=cards[0], verdict="edit", fields={"A": ""}))
    with pytest.raises(BadInput, match="cannot be used: option A is empty"):
        apply_review(folder, tmp_path / "new")
    save_decision(path, digest, ReviewDecision(id=cards[0], verdict="accept"))
    with pytest.raises(BadInput, match="is the benchmark itself"):
        apply_review(folder, folder)
    assert not (tmp_path / "new").exists()


def test_kappa_is_agreement_beyond_chance() -> None:
    table = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    assert cohen_kappa(table) == pytest.approx(0.4), "Cohen's own example: 0.7 observed, 0.5 by chance"
    assert cohen_kappa([(True, False), (False, True)]) == pytest.approx(-1)
    assert cohen_kappa([(True, True), (False, False)]) == pytest.approx(1)
    assert cohen_kappa([(False, False)] * 9) is None
    assert cohen_kappa([]) is None


def test_reviewers_are_compared_by_criterion_and_by_the_class_that_the_key_says() -> None:
    cards = [
        Card(
            id=str(number), title="", fields=(CardField(name="s", label="", text=""),), says=("verdict",) * (number < 5)
        )
        for number in range(10)
    ]
    accepts = {card.id: ReviewDecision(id=card.id, verdict="accept") for card in cards}
    other = accepts | {"0": ReviewDecision(id="0", verdict="reject", failed=("verdict",))}
    verdict, written, whole = compare_reviewers(cards, {"ann": accepts, "ben": other}, ["verdict", "written"])
    assert verdict.passed == {"ann": 1.0, "ben": 0.9}
    assert (verdict.agreement, verdict.both) == (0.9, 10)
    assert verdict.kappa == pytest.approx(0.8), "five of ten are of each class: marking one puts it in the other"
    assert (written.agreement, written.kappa) == (1.0, None)
    assert whole.passed["ben"] == 0.9
    assert whole.kappa == 0.0, "one rejection that the other does not share is no more than chance"


def test_two_reviewers_of_a_sample_make_one_benchmark(folder: Path, tmp_path: Path) -> None:
    every = [card.id for card in ReviewSession(folder).cards]
    sample = [card.id for card in ReviewSession(folder, "ann", sample=2, seed=4).cards]
    assert sample == [card.id for card in ReviewSession(folder, "ben", sample=2, seed=4).cards]
    assert len(sample) == 2
    assert sample == [name for name in every if name in sample], "in their order"
    assert len({tuple(card.id for card in ReviewSession(folder, sample=2, seed=n).cards) for n in range(9)}) > 1
    with pytest.raises(BadInput, match="is no name for a file"):
        ReviewSession(folder, "../x")
    digest = Bench.open(folder).info.digest
    ann, ben = (decisions_file(folder, name) for name in ("ann", "ben"))
    for path in (ann, ben):
        save_decision(path, digest, ReviewDecision(id=sample[0], verdict="accept"))
        save_decision(path, digest, ReviewDecision(id=sample[1], verdict="accept"))
    save_decision(ben, digest, ReviewDecision(id=sample[1], verdict="reject", failed=("clear",)))
    found = {one.name: one for one in review_agreement(folder)}
    assert found["clear"].passed == {"ann": 1.0, "ben": 0.5}
    assert found["all criteria"].agreement == 0.5
    new = apply_review(folder, tmp_path / "new")
    assert check_bench(new.folder) == []
    assert sample[1] not in new.questions, "one rejection is enough"
    recorded = new.build["reviews"][-1]
    assert recorded["criteria"][0]["passed"] == {"ann": 1.0, "ben": 0.5}
    save_decision(ann, digest, ReviewDecision(id=sample[0], verdict="edit", fields={"A": "one"}))
    save_decision(ben, digest, ReviewDecision(id=sample[0], verdict="edit", fields={"A": "two"}))
    with pytest.raises(BadInput, match=f"two reviewers edited '{sample[0]}' differently"):
        apply_review(folder, tmp_path / "more")


def test_needles_are_reviewed_and_rejected_questions_leave_their_prompts(bench: Bench, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bench.folder, tmp_path / "needles"))
    session = ReviewSession(folder)
    assert {card.id for card in session.cards} == set(bench.questions)
    absent = next(q for q in bench.questions.values() if q.question_type == "abstention")
    literal = next(q for q in bench.questions.values() if q.question_type == "literal")
    cards = {card.id: card for card in session.cards}
    assert dict(cards[literal.id].facts)["key"] in literal.key.answer
    start, end = cards[literal.id].mark or (0, 0)
    (mark,) = [m for p in bench.planted.values() for m in p.facts if m.id == literal.evidence[0]]
    assert len(cards[literal.id].source[start:end].encode()) == mark.end - mark.start
    assert cards[absent.id].source, "what is planted, since nothing of it answers the question"
    with pytest.raises(BadInput, match="accepted or rejected as it is"):
        session.decide(json.dumps({"id": literal.id, "verdict": "edit", "fields": {"question": "x?"}}).encode())
    save_decision(decisions_file(folder), bench.info.digest, ReviewDecision(id=literal.id, verdict="reject"))
    new = apply_review(folder, tmp_path / "new")
    assert check_bench(new.folder) == [], "every prompt is counted and hashed again"
    assert set(bench.questions) - set(new.questions) == {literal.id}
    assert len(new.items) == len(bench.items)
    assert not [item for item in new.items.values() if literal.id in item.questions]


def test_a_review_stands_under_checks(folder: Path, tmp_path: Path) -> None:
    digest = Bench.open(folder).info.digest
    for name, last in (("ann", "accept"), ("ben", "reject")):
        for card, verdict in zip(ReviewSession(folder).cards, ("accept", "accept", last), strict=True):
            failed = ("clear",) if verdict == "reject" else ()
            save_decision(
                decisions_file(folder, name), digest, ReviewDecision(id=card.id, verdict=verdict, failed=failed)
            )
    made = apply_review(folder, tmp_path / "new")
    simulate(made.folder, "declines,at=1000k", tmp_path / "runs")
    report(tmp_path / "runs", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Human review" in page
    assert "83 % of 3 questions meet all criteria (clear 83 %" in page
    assert "clear: agreement 67 %, kappa 0.00" in page
