"""The WordNet table against NLTK's reader of the same files, and by hand."""

import os
import random
import shutil
import warnings
from pathlib import Path

import pytest
from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.english.lexicon.word_lists import RELATION_NAMES
from tokalign.errors import InputError, ResourceError
from tokalign.files.shipped import DATA_DIR

from lab.kernels.doors import wordnet_relations
from lab.recipes.wordnet import compile_wordnet, read_synsets

N_SAMPLED = 300
LEXNAMES = """00 adj.all 3|01 adj.pert 3|02 adv.all 4|03 noun.Tops 1|04 noun.act 1|05 noun.animal 1
06 noun.artifact 1|07 noun.attribute 1|08 noun.body 1|09 noun.cognition 1|10 noun.communication 1
11 noun.event 1|12 noun.feeling 1|13 noun.food 1|14 noun.group 1|15 noun.location 1
16 noun.motive 1|17 noun.object 1|18 noun.person 1|19 noun.phenomenon 1|20 noun.plant 1
21 noun.possession 1|22 noun.process 1|23 noun.quantity 1|24 noun.relation 1|25 noun.shape 1
26 noun.state 1|27 noun.substance 1|28 noun.time 1|29 verb.body 2|30 verb.change 2
31 verb.cognition 2|32 verb.communication 2|33 verb.competition 2|34 verb.consumption 2
35 verb.contact 2|36 verb.creation 2|37 verb.emotion 2|38 verb.motion 2|39 verb.perception 2
40 verb.possession 2|41 verb.social 2|42 verb.stative 2|43 verb.weather 2|44 adj.ppl 3"""
SYNSET_RELATIONS = {
    "hypernym": ("hypernyms", "instance_hypernyms"),
    "hyponym": ("hyponyms", "instance_hyponyms"),
    "entailing": ("entailments",),
    "causing": ("causes",),
    "member-of": ("member_holonyms",),
    "has-member": ("member_meronyms",),
    "substance-of": ("substance_holonyms",),
    "has-substance": ("substance_meronyms",),
    "part-of": ("part_holonyms",),
    "has-part": ("part_meronyms",),
    "similar": ("similar_tos",),
    "verb-group": ("verb_groups",),
}
"""Our name -> NLTK's methods of a synset."""


@pytest.fixture(scope="module")
def wordnet():
    return WordNet.open_shipped()


@pytest.fixture(scope="module")
def dict_dir():
    folder = Path(os.environ.get("WORDNET_DICT", "/usr/share/wordnet"))
    if not (folder / "data.noun").is_file():
        pytest.skip(f"no WordNet files in {folder}; run `make test-lexicon`, or set WORDNET_DICT")
    return folder


@pytest.fixture(scope="module")
def judge(dict_dir, tmp_path_factory):
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    # NLTK reads only below its own data folders, and wants a lexnames file that Debian omits.
    copied = tmp_path_factory.mktemp("nltk_data") / "corpora" / "wordnet"
    shutil.copytree(dict_dir, copied)
    names = LEXNAMES.replace("\n", "|").split("|")
    (copied / "lexnames").write_text("".join("\t".join(n.split()) + "\n" for n in names))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nltk.data, "path", [str(copied.parents[1])])
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The multilingual functions are not available")
            reader = WordNetCorpusReader(str(copied), None)
        yield reader


def related_words(judge, lemma, pos):
    """Return name -> set of (word, pos) that NLTK relates to a lemma, by their definition."""
    found = {name: set() for name in RELATION_NAMES}
    parents, senses = set(), set()
    kinds = ("a", "s") if pos == "a" else (pos,)
    synsets = [s for s in judge.synsets(lemma, pos) if s.pos() in kinds]
    synsets = [s for s in synsets if lemma in names(s)]
    for synset in synsets:
        senses.add(synset)
        found["synonym"] |= words_of(synset)
        for name, methods in SYNSET_RELATIONS.items():
            for method in methods:
                for other in getattr(synset, method)():
                    found[name] |= words_of(other)
        up = hypernyms(synset)
        parents |= up
        second = {s for parent in up for s in hypernyms(parent)}
        third = {s for parent in second for s in hypernyms(parent)}
        for other in second | third:
            found["hypernym-within-3"] |= words_of(other)
        for parent in up:
            for sister in parent.hyponyms() + parent.instance_hyponyms():
                found["cohyponym"] |= words_of(sister)
        for sense in synset.lemmas():
            if sense.name().lower() != lemma:
                continue
            for name, others in (
                ("derived", sense.derivationally_related_forms()),
                ("pertainym", sense.pertainyms()),
                ("antonym", sense.antonyms()),
            ):
                found[name] |= {
                    (o.name().lower(), letter(o.synset())) for o in others if "_" not in o.name()
                }
    return {name: words - {(lemma, pos)} for name, words in found.items()}


def hypernyms(synset):
    return {*synset.hypernyms(), *synset.instance_hypernyms()}


def letter(synset):
    return "a" if synset.pos() == "s" else synset.pos()


def names(synset):
    return {name.lower() for name in synset.lemma_names()}


def words_of(synset):
    return {(name, letter(synset)) for name in names(synset) if "_" not in name}


CHECKED = [n for n in RELATION_NAMES if n not in ("derived-synonym", "hyponym-within-3")]
"""The two others mirror what is checked: see test_relations_mirror_each_other."""


def test_relations_are_those_of_nltk(wordnet, judge):
    generator = random.Random(0)
    numbers = generator.sample(range(len(wordnet.vocabulary)), N_SAMPLED)
    common = ["dog", "run", "good", "quickly", "leave", "bank", "wheel", "kill", "hot", "france"]
    n_compared = 0
    for lemma in [*common, *(wordnet.vocabulary[number] for number in numbers)]:
        for pos in "nvar":
            if wordnet.entry(lemma, "nvar".index(pos)) < 0:
                assert not any(lemma in names(s) and letter(s) == pos for s in judge.synsets(lemma))
                continue
            expected = related_words(judge, lemma, pos)
            near = sorted(set().union(*expected.values()) - {(lemma, pos)})
            far = [wordnet.vocabulary[generator.randrange(len(wordnet.vocabulary))], "n"]
            for word, other_pos in [*near[:400], tuple(far)]:
                seen = wordnet_relations(wordnet, lemma, word, pos, other_pos)
                wanted = {n for n in CHECKED if (word, other_pos) in expected[n]}
                assert seen & set(CHECKED) == wanted, (lemma, pos, word, other_pos)
                n_compared += 1
    assert n_compared > 5000


def test_compilation_gives_the_shipped_table(dict_dir, tmp_path):
    compile_wordnet(dict_dir, tmp_path / "wordnet.table")
    assert (tmp_path / "wordnet.table").read_bytes() == (DATA_DIR / "wordnet.table").read_bytes()


@pytest.mark.parametrize(
    ("a", "b", "pos", "names"),
    [
        ("car", "auto", "n", {"synonym"}),
        ("dog", "canine", "n", {"hypernym"}),
        ("canine", "dog", "n", {"hyponym"}),
        ("buy", "sell", "v", {"antonym", "cohyponym"}),
        ("snore", "sleep", "v", {"entailing"}),
        ("kill", "die", "v", {"causing"}),
        ("bumper", "car", "n", {"part-of"}),
    ],
)
def test_known_pairs(wordnet, a, b, pos, names):
    assert names <= wordnet_relations(wordnet, a, b, pos, pos)


def test_relations_mirror_each_other(wordnet):
    mirrored = {
        "hypernym": "hyponym", "hyponym": "hypernym", "member-of": "has-member",
        "has-member": "member-of", "substance-of": "has-substance",
        "has-substance": "substance-of", "part-of": "has-part", "has-part": "part-of",
        "hypernym-within-3": "hyponym-within-3", "hyponym-within-3": "hypernym-within-3",
        **{name: name for name in ("synonym", "derived-synonym", "cohyponym", "antonym")},
    }  # fmt: skip
    words = ["dog", "animal", "canine", "poodle", "buy", "purchase", "win", "winner", "victor",
             "hot", "cold", "wheel", "car", "forest", "tree", "destroy", "destruction",
             "demolition", "air", "oxygen", "move", "walk", "stroll"]  # fmt: skip
    n_found = 0
    for a in words:
        for b in words:
            there, back = wordnet_relations(wordnet, a, b), wordnet_relations(wordnet, b, a)
            expected = {mirrored[name] for name in there if name in mirrored}
            assert back & set(mirrored) == expected, (a, b)
            n_found += bool(expected)
    assert n_found > 40
    assert "hyponym-within-3" in wordnet_relations(wordnet, "animal", "poodle")
    assert "derived-synonym" in wordnet_relations(wordnet, "destroy", "demolition")


def test_unknown_words_have_no_relations(wordnet):
    assert wordnet.entry("qwertyish", 0) == wordnet.entry("", 0) == -1
    assert wordnet.entry("the", 1) == -1
    assert wordnet_relations(wordnet, "qwertyish", "dog") == frozenset()


def test_a_word_is_its_own_synonym(wordnet):
    assert wordnet_relations(wordnet, "dog", "dog", "n", "n") == {"synonym"}


@pytest.mark.parametrize("pos", [-1, 4, 2**31 - 1])
def test_entry_of_an_unknown_part_of_speech_is_refused(wordnet, pos):
    assert wordnet.entry("dog", 0) >= 0
    with pytest.raises(InputError, match=f"part of speech {pos} is unknown; wanted 0 to 3"):
        wordnet.entry("dog", pos)


def test_folder_without_files_is_refused(tmp_path):
    with pytest.raises(ResourceError, match=r"data\.noun: cannot be read .*give WordNet's dict"):
        read_synsets(tmp_path)
