"""English names of people, places, things and measures."""

from __future__ import annotations

__all__ = [
    "FAMILIES",
    "FEELINGS",
    "GOODS",
    "ILLNESSES",
    "MANNERS",
    "MEN",
    "OFFICES",
    "RELATIONS",
    "RIVERS",
    "SPOTS",
    "THINGS",
    "TOPICS",
    "TOWNS",
    "TOWN_NAMES",
    "TRADES",
    "WOMEN",
]


def _words(text: str) -> tuple[str, ...]:
    """A word list, written as one text."""
    return tuple(text.split())


MEN = _words(
    "Tobias Silas Ezra Jonas Matthias Gideon Ambrose Cornelius Barnaby Josiah Reuben Nathaniel Phineas "
    "Hezekiah Obadiah Linus Caleb Amos Jethro Luke Edmund Walter Rupert Crispin Hubert Lionel Gilbert "
    "Roland Percival Oswald Humphrey Leopold Augustus Clement Felix Basil Cyril Everard Fergus Godfrey "
    "Horace Ignatius Julius Lambert Mortimer Norbert Osric Peregrine Quentin Roderick Septimus Thaddeus "
    "Ulric Valentine Wilfred Zachary Alaric Benedict Conrad Dominic Elias Florian Gervase Hector Isidore "
    "Jasper Kenelm Laurence Magnus Noah Orlando Piers Ralph Samson Theodore Urban Vincent Warwick Abel "
    "Barnabas"
)
WOMEN = _words(
    "Hester Judith Dorcas Prudence Tabitha Lavinia Rosamund Beatrix Cecily Euphemia Griselda Honora "
    "Isolde Jemima Keziah Letitia Millicent Nerissa Octavia Philippa Rowena Sabina Theodora Ursula Verity "
    "Winifred Zillah Abigail Barbara Clemency Drusilla Eleanor Felicity Gwendolen Harriet Imogen "
    "Jessamine Katharine Lucinda Mehitabel Naomi Ottilie Perpetua Rachel Susannah Thomasina Unity Violet "
    "Wilhelmina Adela Bridget Constance Deborah Esther Frances Georgiana Hannah Ivy Joanna Kitty Lydia "
    "Marian Nell Olive Phoebe Rhoda Selina Tamsin Vera Amabel Bertha Charity Dinah Edith Flora Grace "
    "Hilda Isabel Julia Leah"
)
FAMILIES = _words(
    "Marlock Crane Vane Tolliver Pellow Garroway Hathersage Kettleby Lorrimer Ashgrove Dunnock Cobbold "
    "Inchbold Farthing Mossop Penrose Quillan Rathbone Sallow Thackery Underhay Winterbourne Yarrow "
    "Brindle Cattermole Duxbury Eversleigh Fenwright Gorringe Holloway Ivimey Jellicote Lugg Merriden "
    "Nettlefold Oldershaw Purslow Rookwood Stannard Trevanion"
)
TOWN_NAMES = _words(
    "Harrowmere Aldersey Thornwick Eastermouth Cranleigh-under-Wold Marlstoke Withernholm Ottersby "
    "Fellbridge Saltringham Wyverton Dunmarsh"
)
RIVERS = _words("Wend Ister Lamber Aske Thole Marrow Orrin Yaffle Tarn Severell Brede Cuckmire")
TOWNS = _words(
    "Stanmouth Carrow Pelham-Vale Northby Ravensett Tidwell Gallowgate Brisley Holt-Abbas Winchmoor Addlestrop Kirkby"
)

SPOTS: dict[str, tuple[str, tuple[str, str, str, str]]] = {
    "mill": ("at", ("the water mill", "the lower mill", "the old mill", "the weir mill")),
    "forge": ("at", ("the forge", "the smithy", "the corner forge", "the bridge forge")),
    "inn": ("at", ("the Plough", "the Three Herons", "the Anchor", "the Bell and Bottle")),
    "apothecary": ("at", ("the apothecary's", "the dispensary", "the surgery", "the druggist's")),
    "school": ("at", ("the schoolhouse", "the parish school", "the dame school", "the charity school")),
    "quay": ("on", ("the quay", "the lower quay", "the old quay", "the coal quay")),
    "shop": ("at", ("the general shop", "the grocery", "the corner shop", "the chandlery")),
    "loomhouse": ("at", ("the weaving shed", "the loom house", "the weavers' hall", "the long shed")),
    "tannery": ("at", ("the tannery", "the tan yard", "the old tannery", "the bark pits")),
    "farm": ("at", ("Upper Farm", "Gallows Farm", "Cold Farm", "Hollow Farm")),
    "yard": ("in", ("the timber yard", "the carpenter's yard", "the saw yard", "the wood yard")),
    "bakery": ("at", ("the bakehouse", "the bakery", "the corner bakery", "the old bakehouse")),
    "brewhouse": ("at", ("the brewhouse", "the brewery", "the malt house", "the old brewery")),
    "stable": ("at", ("the livery stable", "the carrier's stable", "the posting stable", "the coach house")),
    "church": ("at", ("Saint Botolph's church", "Saint Anne's church", "the parish church", "Saint Olave's church")),
    "market": ("in", ("the market place", "the corn market", "the square", "the butter market")),
    "bridge": ("on", ("the stone bridge", "the old bridge", "the town bridge", "the monks' bridge")),
    "hall": ("in", ("the town hall", "the moot hall", "the guildhall", "the assembly hall")),
}
"""Preposition and four names, of which a world uses one."""

TRADES = {
    "miller": "miller",
    "smith": "smith",
    "innkeeper": "innkeeper",
    "doctor": "doctor",
    "teacher": "schoolmaster",
    "boatman": "boatman",
    "grocer": "grocer",
    "weaver": "weaver",
    "tanner": "tanner",
    "farmer": "farmer",
    "carpenter": "carpenter",
    "baker": "baker",
    "brewer": "brewer",
    "carrier": "carrier",
}
GOODS = {
    "flour": ("sack of flour", "sacks of flour", "flour"),
    "nails": ("keg of nails", "kegs of nails", "ironware"),
    "cider": ("cask of cider", "casks of cider", "cider"),
    "herbs": ("bundle of herbs", "bundles of herbs", "herbs"),
    "paper": ("ream of paper", "reams of paper", "paper"),
    "fish": ("barrel of salt fish", "barrels of salt fish", "salt fish"),
    "tea": ("chest of tea", "chests of tea", "tea"),
    "cloth": ("bolt of cloth", "bolts of cloth", "cloth"),
    "hides": ("hide", "hides", "leather"),
    "barley": ("bushel of barley", "bushels of barley", "barley"),
    "planks": ("plank", "planks", "timber"),
    "oil": ("jar of oil", "jars of oil", "oil"),
    "hops": ("pocket of hops", "pockets of hops", "hops"),
    "salt": ("bag of salt", "bags of salt", "salt"),
}
THINGS = {
    "watch": "a silver watch",
    "fiddle": "a fiddle",
    "inkstone": "a pewter inkstand",
    "flute": "an ebony flute",
    "kettle": "a copper kettle",
    "comb": "a tortoiseshell comb",
    "ring": "a garnet ring",
    "ledger": "a bound ledger",
    "bracelet": "a coral bracelet",
    "clock": "an eight-day clock",
    "coat": "a sheepskin coat",
    "box": "a lacquered box",
    "lamp": "a brass lamp",
    "scales": "a pair of scales",
    "spyglass": "a spyglass",
    "quilt": "a patchwork quilt",
}
ILLNESSES = {
    "fever": "marsh fever",
    "ague": "the ague",
    "lungs": "an inflammation of the lungs",
    "leg": "rheumatic fever",
    "throat": "a putrid throat",
}
OFFICES = {
    "warden": "churchwarden",
    "bailiff": "bailiff",
    "treasurer": "treasurer of the poor box",
    "ferrymaster": "ferry master",
}
TOPICS = {
    "money": "to ask for money",
    "news": "to tell of a good situation",
    "pardon": "to ask forgiveness",
    "summons": "to beg for a visit",
}
FEELINGS = {
    "gratitude": "grateful to {B}",
    "shame": "ashamed before {B}",
    "resentment": "resentful towards {B}",
    "pity": "sorry for {B}",
    "remorse": "full of remorse towards {B}",
    "envy": "envious of {B}",
    "fear": "afraid of {B}",
    "suspicion": "suspicious of {B}",
    "respect": "full of respect for {B}",
    "relief": "relieved about {B}",
    "hope": "hopeful about {B}",
}
MANNERS = {
    "whole": "all in one sum",
    "parts": "in three payments",
    "race": "a horse race",
    "boats": "a boat race",
    "snow": "the date of the first snow",
    "pig": "the weight of a pig",
    "quiet": "quietly and with few guests",
    "feast": "with music and a feast",
    "foot": "on foot",
    "cart": "by the carrier's cart",
    "horse": "on horseback",
    "boat": "by river boat",
    "coach": "by the mail coach",
    "public": "before a crowd",
    "private": "behind closed doors",
    "stick": "with a stick",
    "fist": "with a fist",
    "strap": "with a leather strap",
    "bottle": "with a bottle",
}
RELATIONS = {
    "father_in_law": "father-in-law",
    "mother_in_law": "mother-in-law",
    "son_in_law": "son-in-law",
    "daughter_in_law": "daughter-in-law",
}
"""Relations whose name differs from their key."""
