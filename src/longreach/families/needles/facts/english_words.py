"""English names, things and measures, by register."""

from __future__ import annotations

from dataclasses import replace

from .lexicon import Lexicon, Pool, Range, Unit, words

__all__ = ["LEXICONS"]

_COUNTS = {
    "age": Unit("year", "years"),
    "span": Unit("year", "years"),
    "month": Unit("month", "months"),
    "hour": Unit("hour", "hours"),
    "day": Unit("day", "days"),
    "item": Unit("", ""),
    "child": Unit("", ""),
    "calendar": Unit("", ""),
}
_SPANS = {
    "years_kept": Range(3, 14, "span"),
    "months": Range(3, 6, "month"),
    "hours": Range(2, 4, "hour"),
    "days": Range(8, 13, "day"),
    "stock": Range(7, 29, "item"),
    "children": Range(3, 8, "child"),
}

_NOVEL = Lexicon(
    style="words",
    women=words(
        "Agnes Beatrice Celestine Dorothea Eugenie Flora Georgette Harriet Irene Josephine Laura "
        "Madeleine Nathalie Olympe Pauline Rosalie Sabine Theresa Ursula Vivienne Winifred Adelaide "
        "Bertha Clarissa Delphine Emmeline Frances Gertrude Henrietta Isabel"
    ),
    men=words(
        "Silas Edmund Lucien Ambrose Felix Gaspard Horace Jerome Cyprian Leopold Matthias Nathaniel "
        "Octave Philip Roland Septimus Theodore Urban Victor Walter Barnabas Clement Denis Eustace Fabian "
        "Gregory Hubert Isidore Julian Lambert"
    ),
    surnames=Pool(
        words(
            "Corv Tarr Mauv Brend Vess Quint Hask Dorl Pelv Gosl Ferr Thurl Bax Crev Dant Esk Falv Garr Holb "
            "Inch Jerv Kell Lusc Marv Nesb Pask Quer Rusk Salv Trev Ulv Vand Wex Yarl Zell Ambr Bosc Calv Evr "
            "Fess Grav Hurl Jess Kirv Lorr Mosk Norv Oust Prav Rend Sark Tolv Vark Thib Bresl Blav Cruv Dext "
            "Gild Sabr"
        ),
        words(
            "ane elin igny ault eret oise ard ovain inel adier olet ester andre ussac ombe orel ival uval "
            "imond erac otte agne enoy ursin"
        ),
        "both",
    ),
    places=Pool(
        words(
            "Briar Thorn Wend Alder Hazel Cold Fern Raven Stone Marl Otter Grey Hollow Linden Moss Nether "
            "Oaken Pebble Quarry Rook Sallow Tansy Under Willow Yarrow Amber Barley Clover Drake Elder"
        ),
        words("combe wick holt mere stead hurst ford dale garth thwaite bourne cliffe"),
        "left",
    ),
    things=Pool(
        words(
            "silver brass copper gilded painted lacquered carved pewter bronze rosewood walnut black crimson "
            "Venetian Flemish Bohemian Swiss Spanish"
        ),
        words(
            "telescope compass snuffbox locket barometer candlestick casket hourglass clock birdcage goblet "
            "globe inkstand music-box paper-knife tea-caddy jewel-case card-table fire-screen sundial"
        ),
        "right",
        " ",
    ),
    rooms=Pool(
        words("yellow blue green red lower upper north south east west little great"),
        words(
            "parlour gallery library pantry music-room conservatory dining-room study nursery attic chapel smoking-room"
        ),
        "right",
        " ",
    ),
    trades=Pool(
        words(
            "harness lantern saddle cask clock glove candle rope barrel mirror lock button basket brush wheel "
            "comb bell flute kettle ribbon sieve parasol"
        ),
        words("maker mender seller dealer"),
        "left",
        " ",
    ),
    vehicles=Pool(
        words("yellow green black red borrowed hired battered covered"),
        words("gig cart waggon barouche chaise tilbury sledge landau"),
        "right",
        " ",
    ),
    goods=Pool(
        words("copper pewter earthen iron tin wooden brass painted"),
        words("kettle candlestick jug lantern stool bucket tray bowl saucepan spoon bell basin"),
        "right",
        " ",
    ),
    units=_COUNTS | {"money": Unit("franc", "francs"), "rank": Unit("inch", "inches"), "way": Unit("mile", "miles")},
    ranges=_SPANS
    | {
        "age": Range(24, 58, "age"),
        "age_gap": Range(2, 12, "age"),
        "rank_gap": Range(2, 6, "rank"),
        "rent": Range(20, 90, "money", 5),
        "endowment": Range(600, 1900, "money", 50),
        "purchase": Range(60, 390, "money", 10),
        "price_each": Range(2, 9, "money"),
        "distance": Range(3, 15, "way"),
        "year": Range(1808, 1829, "calendar"),
    },
)

_REPORT = Lexicon(
    style="figures",
    women=words(
        "Nadia Ingrid Carla Priya Helen Yvonne Tamara Joanna Leila Marta Renata Simone Anika Bettina "
        "Daniela Elena Farah Greta Hanna Ines Judith Katrin Lydia Mira Noemi Olga Petra Rosa Silvia Tessa"
    ),
    men=words(
        "Anton Bruno Casper Dario Erik Florian Gareth Henrik Ivan Jonas Karim Lars Marek Nils Oscar Pavel "
        "Quentin Rafael Stefan Tobias Umar Vincent Wesley Yusuf Andre Boris Conrad Dennis Emil Fergus"
    ),
    surnames=Pool(
        words(
            "Hald Brev Kest Ostr Vind Torv Mard Lesk Sorn Grell Drev Fisk Jorl Kalv Rask Selm Tarb Ulst Wast "
            "Yend Zorb Arv Bolk Carm Dask Elst Fend Gorn Hesk Ilv Jask Korb Lund Molv Nask Olb Perv Quarl "
            "Rosk Stav Trem Ustr Velk Wolb Yark Zand Alk Birv Chast Dorn Eskr Farl Golm Hurst Irv Jand Kruv "
            "Lorv Mesk Narv"
        ),
        words(
            "ren ovic etti ander ansen ikar ani eros ura elund ovar inger aday oyan umi ek olt ierz anova "
            "ishi uman elis ogun ados"
        ),
        "both",
    ),
    places=Pool(
        words(
            "Ash Brack Carrow Dun Esker Fallow Glen Harrow Iron Kestle Lark Mallow Norrow Oster Pinder Quill "
            "Ridge Sorrel Sprint Stan Sutter Tarn Ulver Vale Wald Wether Wold Yarn Zeal Crane"
        ),
        words("field bury moor haven cross minster gate worth burn stoke leigh sand"),
        "left",
    ),
    things=Pool(
        words(
            "portable refurbished second-hand leased compact heavy-duty spare brand-new donated Swiss-made "
            "Danish-made Korean-made prototype grey white black"
        ),
        words(
            "projector printer scanner generator copier whiteboard dehumidifier loudspeaker freezer safe "
            "shredder workstation camera microscope display telephone laminator humidifier microphone heater"
        ),
        "right",
        " ",
    ),
    rooms=Pool(
        words("north south east west upper lower main small large rear front central"),
        words(
            "archive laboratory canteen server-room workshop warehouse studio mail-room reading-room "
            "boardroom lobby print-shop"
        ),
        "right",
        " ",
    ),
    trades=Pool(
        words(
            "payroll pension procurement logistics training quality safety compliance facilities recruitment "
            "travel budget contracts marketing records data licensing property fleet catering project "
            "security"
        ),
        words("manager planner adviser coordinator"),
        "left",
        " ",
    ),
    vehicles=Pool(
        words("white grey blue red rented borrowed second-hand battered"),
        words("van minibus pickup taxi lorry saloon jeep hatchback"),
        "right",
        " ",
    ),
    goods=Pool(
        words("steel plastic oak folding stackable metal spare padded"),
        words("chair desk locker shelf-unit bin pallet trolley cabinet bench screen crate ladder"),
        "right",
        " ",
    ),
    units=_COUNTS
    | {"money": Unit("euro", "euros"), "rank": Unit("point", "points"), "way": Unit("kilometre", "kilometres")},
    ranges=_SPANS
    | {
        "age": Range(5, 24, "age"),
        "age_gap": Range(2, 9, "age"),
        "rank_gap": Range(3, 14, "rank"),
        "rent": Range(400, 950, "money", 50),
        "endowment": Range(4000, 9500, "money", 250),
        "purchase": Range(600, 2900, "money", 50),
        "price_each": Range(12, 45, "money"),
        "distance": Range(4, 28, "way"),
        "year": Range(1996, 2008, "calendar"),
    },
)

_LEGAL = replace(
    _REPORT,
    style="legal",
    units=_COUNTS
    | {"money": Unit("dollar", "dollars"), "rank": Unit("dollar", "dollars"), "way": Unit("mile", "miles")},
    ranges={**_REPORT.ranges, "age": Range(24, 67, "age"), "rank_gap": Range(100, 900, "rank", 50)},
)

_TECHNICAL = replace(
    _REPORT,
    style="figures",
    things=Pool(
        words(
            "portable calibrated spare reconditioned second-hand compact heavy-duty brand-new Swiss-made "
            "Danish-made Korean-made prototype yellow blue red green"
        ),
        words(
            "wrench gauge multimeter compressor grinder winch drill borescope tachometer soldering-iron "
            "welder hoist flowmeter torch vacuum-pump dehumidifier jack thermometer cutter generator"
        ),
        "right",
        " ",
    ),
    rooms=Pool(
        words("north south east west upper lower main rear old new"),
        words(
            "pump-room workshop boiler-house control-room test-bay paint-shop store battery-room switch-room "
            "tool-room gatehouse laboratory"
        ),
        "right",
        " ",
    ),
    trades=Pool(
        words(
            "valve cable turbine boiler crane conveyor pump welding rigging gauge coatings bearing "
            "gearbox hydraulics winding furnace compressor switchgear pipeline radar sonar drainage"
        ),
        words("technician fitter inspector specialist"),
        "left",
        " ",
    ),
    goods=Pool(
        words("spare ceramic steel brass stainless coated replacement sealed"),
        words("valve bearing gasket filter coupling bracket rotor nozzle sensor relay hose impeller"),
        "right",
        " ",
    ),
    units=_COUNTS
    | {"money": Unit("dollar", "dollars"), "rank": Unit("hour", "hours"), "way": Unit("kilometre", "kilometres")},
)

_MODERN = replace(
    _REPORT,
    style="words",
    rooms=Pool(
        words("yellow blue green upstairs downstairs north south little spare back front"),
        words("kitchen library lounge study garage attic laundry-room playroom sunroom cellar bedroom dining-room"),
        "right",
        " ",
    ),
    units={**_NOVEL.units, "money": Unit("dollar", "dollars")},
    ranges={**_NOVEL.ranges, "year": Range(1996, 2008, "calendar")},
)

LEXICONS = {"novel": _NOVEL, "modern": _MODERN, "report": _REPORT, "legal": _LEGAL, "technical": _TECHNICAL}
