"""References as data; the report and the manual format them.

A module that registers a method contains its own `Reference`; this module contains only works
that several packages cite.
"""

from msgspec import Struct
from msgspec.structs import replace


class Reference(Struct, frozen=True):
    """One published work.

    `key` is the BibTeX key (`mcnemar1947`), `authors` family name first ("McNemar Q"),
    `venue` the journal or publisher, `volume` and `pages` the printed ones. `forms` are the forms
    of a method that the work is about; a work without any is about the method itself.
    """

    key: str
    authors: tuple[str, ...]
    year: int
    title: str
    venue: str
    volume: str = ""
    pages: str = ""
    doi: str = ""
    kind: str = "article"
    forms: tuple[str, ...] = ()

    def with_forms(self, *forms: str) -> "Reference":
        """Return the work as a source of these forms of a method alone.

        A form is a word of the variant or of the interval in the results (`corrected`, `bca`), the
        measure (`roc_auc`) or a word of its options (`ovo`), an extra number of the result
        (`rounds`), `groups` where groups are the units, or `classes` where there are three classes
        or more.
        """
        return replace(self, forms=forms)

    @property
    def short(self) -> str:
        """Author and year as cited in running text: `Nadeau & Bengio 2003`."""
        names = [author.rsplit(" ", 1)[0] for author in self.authors]
        if len(names) == 1:
            lead = names[0]
        elif len(names) == 2:
            lead = f"{names[0]} & {names[1]}"
        else:
            lead = f"{names[0]} et al."
        return f"{lead} {self.year}"


COHEN_1960 = Reference(
    key="cohen1960",
    authors=("Cohen J",),
    year=1960,
    title="A coefficient of agreement for nominal scales",
    venue="Educational and Psychological Measurement",
    volume="20(1)",
    pages="37-46",
    doi="10.1177/001316446002000104",
)
DUNN_1961 = Reference(
    key="dunn1961",
    authors=("Dunn OJ",),
    year=1961,
    title="Multiple comparisons among means",
    venue="Journal of the American Statistical Association",
    volume="56(293)",
    pages="52-64",
)
RASCHKA_2018 = Reference(
    key="raschka2018",
    authors=("Raschka S",),
    year=2018,
    title="Model evaluation, model selection, and algorithm selection in machine learning",
    venue="arXiv preprint arXiv:1811.12808",
    kind="misc",
)
BOUTHILLIER_2021 = Reference(
    key="bouthillier2021",
    authors=(
        "Bouthillier X", "Delaunay P", "Bronzi M", "Trofimov A", "Nichyporuk B", "Szeto J",
        "Mohammadi Sepahvand N", "Raff E", "Madan K", "Voleti V", "Kahou SE", "Michalski V",
        "Arbel T", "Pal C", "Varoquaux G", "Vincent P",
    ),
    year=2021,
    title="Accounting for variance in machine learning benchmarks",
    venue="Proceedings of Machine Learning and Systems",
    volume="3",
    pages="747-769",
)  # fmt: skip
DOMINGOS_2000 = Reference(
    key="domingos2000",
    authors=("Domingos P",),
    year=2000,
    title="A unified bias-variance decomposition for zero-one and squared loss",
    venue="Proceedings of the Seventeenth National Conference on Artificial Intelligence",
    kind="inproceedings",
)
KOHAVI_WOLPERT_1996 = Reference(
    key="kohavi1996",
    authors=("Kohavi R", "Wolpert DH"),
    year=1996,
    title="Bias plus variance decomposition for zero-one loss functions",
    venue="Proceedings of the Thirteenth International Conference on Machine Learning",
    kind="inproceedings",
)
BREIMAN_1984 = Reference(
    key="breiman1984",
    authors=("Breiman L", "Friedman JH", "Olshen RA", "Stone CJ"),
    year=1984,
    title="Classification and regression trees",
    venue="Wadsworth",
    kind="book",
)
CAWLEY_TALBOT_2010 = Reference(
    key="cawley2010",
    authors=("Cawley GC", "Talbot NLC"),
    year=2010,
    title="On over-fitting in model selection and subsequent selection bias in performance "
    "evaluation",
    venue="Journal of Machine Learning Research",
    volume="11",
    pages="2079-2107",
)
ZHOU_2021 = Reference(
    key="zhou2021",
    authors=("Zhou Z-H",),
    year=2021,
    title="Machine Learning",
    venue="Springer",
    doi="10.1007/978-981-15-1967-3",
    kind="book",
)
DIETTERICH_1998 = Reference(
    key="dietterich1998",
    authors=("Dietterich TG",),
    year=1998,
    title="Approximate statistical tests for comparing supervised classification learning "
    "algorithms",
    venue="Neural Computation",
    volume="10(7)",
    pages="1895-1923",
    doi="10.1162/089976698300017197",
)
MONTIEL_OLEA_2019 = Reference(
    key="montielolea2019",
    authors=("Montiel Olea JL", "Plagborg-Møller M"),
    year=2019,
    title="Simultaneous confidence bands: theory, implementation, and an application to SVARs",
    venue="Journal of Applied Econometrics",
    volume="34(1)",
    pages="1-17",
    doi="10.1002/jae.2656",
)
NADEAU_BENGIO_2003 = Reference(
    key="nadeau2003",
    authors=("Nadeau C", "Bengio Y"),
    year=2003,
    title="Inference for the generalization error",
    venue="Machine Learning",
    volume="52(3)",
    pages="239-281",
    doi="10.1023/A:1024068626366",
)
DEMSAR_2006 = Reference(
    key="demsar2006",
    authors=("Demšar J",),
    year=2006,
    title="Statistical comparisons of classifiers over multiple data sets",
    venue="Journal of Machine Learning Research",
    volume="7",
    pages="1-30",
)
BERGSTRA_2011 = Reference(
    key="bergstra2011",
    authors=("Bergstra J", "Bardenet R", "Bengio Y", "Kégl B"),
    year=2011,
    title="Algorithms for hyper-parameter optimization",
    venue="Advances in Neural Information Processing Systems",
    volume="24",
)
AKIBA_2019 = Reference(
    key="akiba2019",
    authors=("Akiba T", "Sano S", "Yanase T", "Ohta T", "Koyama M"),
    year=2019,
    title="Optuna: a next-generation hyperparameter optimization framework",
    venue="ACM SIGKDD International Conference on Knowledge Discovery & Data Mining",
)
LEMAITRE_2017 = Reference(
    key="lemaitre2017",
    authors=("Lemaître G", "Nogueira F", "Aridas CK"),
    year=2017,
    title="Imbalanced-learn: a Python toolbox to tackle the curse of imbalanced datasets in "
    "machine learning",
    venue="Journal of Machine Learning Research",
    volume="18",
    pages="1-5",
)
PEDREGOSA_2011 = Reference(
    key="pedregosa2011",
    authors=("Pedregosa F", "Varoquaux G", "Gramfort A", "Michel V", "Thirion B"),
    year=2011,
    title="Scikit-learn: machine learning in Python",
    venue="Journal of Machine Learning Research",
    volume="12",
    pages="2825-2830",
)
EFRON_TIBSHIRANI_1997 = Reference(
    key="efron1997",
    authors=("Efron B", "Tibshirani R"),
    year=1997,
    title="Improvements on cross-validation: the .632+ bootstrap method",
    venue="Journal of the American Statistical Association",
    volume="92(438)",
    pages="548-560",
    doi="10.1080/01621459.1997.10474007",
)

DRUMMOND_HOLTE_2006 = Reference(
    key="drummond2006",
    authors=("Drummond C", "Holte RC"),
    year=2006,
    title="Cost curves: an improved method for visualizing classifier performance",
    venue="Machine Learning",
    volume="65(1)",
    pages="95-130",
    doi="10.1007/s10994-006-8199-5",
)

VICKERS_ELKIN_2006 = Reference(
    key="vickers2006",
    authors=("Vickers AJ", "Elkin EB"),
    year=2006,
    title="Decision curve analysis: a novel method for evaluating prediction models",
    venue="Medical Decision Making",
    volume="26(6)",
    pages="565-574",
    doi="10.1177/0272989X06295361",
)

DAVIS_GOADRICH_2006 = Reference(
    key="davis2006",
    authors=("Davis J", "Goadrich M"),
    year=2006,
    title="The relationship between precision-recall and ROC curves",
    venue="23rd International Conference on Machine Learning",
    pages="233-240",
    kind="inproceedings",
)

FAWCETT_2006 = Reference(
    key="fawcett2006",
    authors=("Fawcett T",),
    year=2006,
    title="An introduction to ROC analysis",
    venue="Pattern Recognition Letters",
    volume="27(8)",
    pages="861-874",
    doi="10.1016/j.patrec.2005.10.010",
)
