"""Names of people and places by country and time, for texts that show where they are set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .lexicon import Pool, words

__all__ = ["COUNTRIES", "Names"]


@dataclass(frozen=True)
class Names:
    """First names before and after about 1930, invented surnames, invented places."""

    old_women: tuple[str, ...]
    old_men: tuple[str, ...]
    women: tuple[str, ...]
    men: tuple[str, ...]
    surnames: Pool
    places: Pool


def _names(old: tuple[str, str], new: tuple[str, str], surnames: tuple[str, str], places: tuple[str, str]) -> Names:
    return Names(
        words(old[0]),
        words(old[1]),
        words(new[0]),
        words(new[1]),
        Pool(words(surnames[0]), words(surnames[1]), "left"),
        Pool(words(places[0]), words(places[1]), "left"),
    )


_ENGLISH_VILLAGES = (
    "Briar Thorn Wend Alder Hazel Cold Fern Raven Marl Otter Grey Hollow Linden Moss Nether Oaken Pebble Quarry Rook "
    "Sallow Tansy Under Yarrow Amber Barley Clover Drake Elder",
    "combe wick holt mere stead hurst ford dale garth thwaite bourne cliffe",
)
_ENGLISH_SURNAMES = (
    "Hask Thurl Pelv Gosl Dext Brend Wex Crev Garr Inch Kell Marv Nesb Pask Rusk Trev Yarl Bosc Hurl Jess Kirv Norv "
    "Oust Sark Tolv Vark Blav Cruv Gild Sabr",
    "ington erley ham worth sby thorpe ley combe field more bury wick ston by ett ridge",
)

COUNTRIES: Mapping[str, Names] = {
    "Britain": _names(
        (
            "Agnes Beatrice Dorothea Harriet Winifred Adelaide Bertha Clarissa Frances Gertrude Henrietta Isabel "
            "Letitia Maud Philippa Rosamund Sophia Ursula Augusta Cecily Edith Florence",
            "Silas Edmund Ambrose Horace Jerome Septimus Theodore Walter Barnabas Clement Eustace Gregory Hubert "
            "Julian Lambert Nathaniel Percival Roland Algernon Cuthbert Godfrey Rupert",
        ),
        (
            "Alison Bethany Carys Deborah Fiona Gemma Heather Imogen Joanne Kirsty Lorna Maureen Nicola Pippa Rhona "
            "Shona Tamsin Wendy Yasmin Zoe Hayley Leanne",
            "Adrian Callum Darren Euan Gareth Hamish Ian Jasper Keith Lewis Malcolm Nigel Owen Piers Rhys Stuart "
            "Tristan Wayne Alistair Barry Clive Desmond",
        ),
        _ENGLISH_SURNAMES,
        _ENGLISH_VILLAGES,
    ),
    "America": _names(
        (
            "Abigail Almira Cordelia Ernestine Hattie Idella Jemima Keziah Lavinia Mehitabel Nettie Orpha Prudence "
            "Rhoda Selina Tabitha Thankful Viola Zenobia Electa Fidelia Lucinda",
            "Abner Asa Caleb Cyrus Elihu Ezra Gideon Hiram Ichabod Jedediah Levi Lemuel Micajah Obadiah Phineas Rufus "
            "Seth Thaddeus Uriah Zebulon Enoch Josiah",
        ),
        (
            "Ashley Brittany Candace Darlene Erica Felicia Gwen Heidi Jolene Kimberly Latoya Marcy Nadine Paige "
            "Rochelle Shelby Tiffany Vanessa Whitney Yolanda Brenda Cheryl",
            "Austin Brandon Chad Derek Earl Floyd Garrett Harvey Isaiah Jerome Kurt Lamar Mitchell Nolan Otis Preston "
            "Randall Shane Travis Wendell Dwight Leroy",
        ),
        (
            "Hask Thurl Dext Brend Wex Crev Garr Kell Marv Nesb Rusk Yarl Hurl Jess Norv Sark Tolv Vark Blav Gild Ostr "
            "Halv Stoll Drex Benn Corb Fent Mull Tarb Wick",
            "erson ington ley man ford more well ner ham dell ett combe wood ston ler kins",
        ),
        (
            "Cedar Maple Elk Pine Stone Otter Juniper Hickory Badger Copper Prairie Willow Eagle Granite Sumac Laurel "
            "Heron Walnut Birch Buffalo Cotton Flint Antler Aspen Sycamore Raven Harvest Liberty",
            "ville ton burg field port dale creek ridge grove bluff haven crossing",
        ),
    ),
    "France": _names(
        (
            "Celestine Eugenie Georgette Josephine Madeleine Nathalie Olympe Pauline Rosalie Sabine Vivienne Delphine "
            "Adelaide Clemence Euphrasie Hortense Leontine Mathilde Philomene Sidonie Victorine Zelie",
            "Lucien Felix Gaspard Cyprian Octave Isidore Fabien Anselme Baptistin Casimir Desire Evariste Fulgence "
            "Hilaire Honorin Leonce Maxence Narcisse Onesime Prosper Sylvain Tancrede",
        ),
        (
            "Amandine Brigitte Capucine Elodie Fabienne Ghislaine Helene Ines Laetitia Manon Noemie Oceane Perrine "
            "Solene Valerie Yvette Aurelie Clemence Corinne Mireille Sylvie Virginie",
            "Adrien Bastien Cedric Damien Etienne Florent Gael Herve Julien Kevin Loic Mathis Nicolas Olivier Quentin "
            "Remi Sebastien Thibault Yannick Didier Fabrice Thierry",
        ),
        (
            "Corv Tarr Mauv Brend Vess Dorl Ferr Crev Dant Falv Garr Jerv Lusc Marv Quer Salv Vand Ambr Bosc Calv Evr "
            "Fess Grav Lorr Oust Prav Rend Thib Bresl Blav",
            "ane elin igny ault eret oise ard ovain inel adier olet andre ussac orel ival imond erac otte agne enoy",
        ),
        (
            "Mont Beau Clair Roche Font Haut Val Cham Bois Pierre Gran Lus Mar Cour Aub Bel Char Dom Fleur Gris Jon "
            "Lav Mal Noir Plan Riv Sauve Vern",
            "igny court ville mont lieu fontaine ac ières olles eval erie ancourt",
        ),
    ),
    "Germany": _names(
        (
            "Adelheid Brunhilde Charlotte Dorothea Elfriede Friederike Gisela Hedwig Irmgard Johanna Kunigunde "
            "Leopoldine Mathilde Notburga Ottilie Philippine Roswitha Sieglinde Theodora Ulrike Walburga Wilhelmine",
            "Albrecht Balthasar Christoph Dietrich Eberhard Ferdinand Gottfried Heinrich Ignaz Joachim Konrad Leopold "
            "Melchior Norbert Ottokar Philipp Reinhold Siegfried Traugott Ulrich Valentin Wendelin",
        ),
        (
            "Anke Britta Claudia Dagmar Elke Frauke Gudrun Heike Ilka Jutta Katja Lena Maike Nicole Ortrud Petra "
            "Ramona Silke Tanja Ute Vera Wiebke",
            "Achim Bernd Carsten Detlef Enno Frank Guido Holger Ingo Jens Kai Lutz Matthias Norbert Olaf Ralf Sven "
            "Thorsten Uwe Volker Wolfram Dirk",
        ),
        (
            "Hald Brack Kest Ober Vind Torf Mard Lesk Stein Grell Dreh Fisch Kalb Rasch Selm Tarb Ulm Wast Zorb Bolk "
            "Elst Hesk Korb Molk Nask Quar Trem Velk Wolb Zand",
            "inger hauser mann bach meier hoff brandt stein berger felder ecker wald hagen rieder thal lich",
        ),
        (
            "Birken Eichen Linden Wolfs Hirsch Raben Ober Unter Alten Neuen Falken Roten Weiden Tannen Buchen Erlen "
            "Habichts Kirsch Mohn Nuss Otter Quell Schwarzen Silber Stern Weiher Winter Ziegel",
            "dorf tal heim burg bach feld hausen rode au stein walde brunn",
        ),
    ),
    "Russia": _names(
        (
            "Agafya Avdotya Darya Evdokia Fedosya Glafira Irina Katerina Lizaveta Marfa Nastasya Olga Praskovya Raisa "
            "Serafima Tatyana Ulyana Varvara Vassilisa Yelena Zinaida Lukerya",
            "Afanasy Boris Demyan Fyodor Gavrila Ignat Kirill Lavrenty Makar Nikita Osip Pavel Rodion Semyon Timofey "
            "Vasily Yakov Zakhar Arkady Filipp Grigory Matvey",
        ),
        (
            "Alina Darya Elena Galina Inna Kira Larisa Marina Nina Oksana Polina Regina Svetlana Tamara Valentina Yana "
            "Zoya Alla Lyudmila Natalia Vera Zhanna",
            "Anton Bogdan Denis Eduard Gleb Igor Kirill Leonid Maxim Oleg Pavel Roman Stanislav Timur Vadim Yuri "
            "Artyom Ruslan Vitaly Konstantin Gennady Arkady",
        ),
        (
            "Bresl Corv Dorl Falv Gorn Hald Ilv Kalv Lesk Marv Nesv Olb Perv Rask Selm Tarb Ustr Velk Yark Zand Brov "
            "Drem Gost Kroml Lusk Mosk Prav Stav Trem Vesk",
            "ov in evsky enko ikov ushkin yov anov etsky arin ovsky enin utin atov",
        ),
        (
            "Berez Zarech Pokrov Sosn Lip Dub Oln Krasn Bel Chern Gor Zimn Kalin Yagod Rechn Bor Lug Ozer Kamen Vishn "
            "Snezh Tikh Vol Gnezd Strel Klyuch Mokr Orl",
            "ovka ino skoye ovo evka yanka itsa ets ovsk nik ishche ava",
        ),
    ),
    "Spain": _names(
        (
            "Asuncion Beatriz Catalina Dolores Encarnacion Fermina Gertrudis Herminia Ines Jacinta Leocadia Mercedes "
            "Nieves Obdulia Purificacion Remedios Soledad Tomasa Ursula Visitacion Leonor Rosaura",
            "Anselmo Baltasar Celestino Diego Evaristo Fermin Gonzalo Hilario Isidro Jacinto Leandro Melchor Nicanor "
            "Onofre Prudencio Ramiro Saturnino Tadeo Urbano Valeriano Rodrigo Lope",
        ),
        (
            "Alba Belen Carolina Elvira Fatima Gloria Irene Jimena Lourdes Marisol Nuria Olga Patricia Rocio Silvia "
            "Teresa Veronica Yolanda Amaya Begona Cristina Paloma",
            "Alvaro Bruno Cesar Dario Emilio Felipe Gerardo Hugo Ismael Javier Lorenzo Marcos Nestor Oscar Pablo Raul "
            "Sergio Tomas Victor Adolfo Joaquin Rogelio",
        ),
        (
            "Corv Tarr Mauv Vess Dorl Ferr Falv Garr Jerv Lusc Marv Salv Calv Grav Lorr Moz Bras Quint Arv Bald Cast "
            "Delg Esc Gall Herv Land Mont Per Rob Vill",
            "ero ales ado ano illo eda osa uelo ares eñas oyo azar andez ubia anda ista",
        ),
        (
            "Monte Villa Fuente Torre Valle Alta Campo Roca Peña Puente Agua Oliva Robla Sierra Plata Barro Cerro "
            "Encina Higuera Jara Loma Molina Nava Palma Retama Salina Trigo Vega",
            "real blanca seca rubia negra hermosa mayor clara verde honda nueva alta",
        ),
    ),
    "Italy": _names(
        (
            "Assunta Bianca Carmela Domitilla Eufemia Fiammetta Ginevra Ippolita Leonora Maddalena Ninetta Ottavia "
            "Pellegrina Rosalba Serafina Teresina Violante Zenobia Agnese Clelia Fulvia Lavinia",
            "Ambrogio Baldassare Cosimo Donato Egidio Fabrizio Gaspare Ippolito Lodovico Melchiorre Niccolo Orazio "
            "Pellegrino Raimondo Silvestro Taddeo Ugolino Valerio Anselmo Cesare Fulgenzio Ludovico",
        ),
        (
            "Alessia Barbara Chiara Daniela Elisa Federica Giorgia Ilaria Lucia Martina Nadia Ornella Paola Roberta "
            "Sara Tiziana Valentina Viola Arianna Cinzia Monica Silvia",
            "Alessio Bruno Claudio Davide Enrico Fabio Giulio Luca Marco Nicola Omar Paolo Renato Simone Tommaso "
            "Umberto Vito Andrea Dario Gianni Massimo Stefano",
        ),
        (
            "Corv Tarr Mauv Vess Dorl Ferr Falv Garr Lusc Marv Salv Calv Grav Lorr Mosc Bran Quint Arv Bald Cast Dell "
            "Gall Land Mont Perv Rov Vill Zann Bell Torr",
            "etti ini oni elli acci ardo esi aldi ante ucci etto ola iero inelli azzi otto",
        ),
        (
            "Monte Castel Rocca Villa Borgo Fonte Ponte Valle Torre Campo Serra Pietra Colle Grotta Acqua Poggio Selva "
            "Prato Costa Isola Lago Marina Noce Oliva Pino Riva Sasso Terra",
            "franco vecchio rossa chiara bruna nuovo alto secco marino forte verde lunga",
        ),
    ),
}
