"""The execution graph of a study: from its fits to its results, and as a plan shows it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from evallang.analysis import ANALYSES, AnalysisDeclaration
from evallang.compatibility import own_metric
from evallang.data.dataset import GivenOutcomes, ScoreTable
from evallang.data.read_sources import ReadSources
from evallang.hypotheses import Family, PlannedComparison, lines_decided
from evallang.models.model import is_baseline, search_space
from evallang.planning import nodes
from evallang.planning.nodes import At, Graph, Node
from evallang.planning.plan import Task
from evallang.planning.planner import Planned
from evallang.planning.seeds import canonical_json, folds_hash
from evallang.protocols.protocol import PROTOCOLS
from evallang.study import (
    AnalysisSpec,
    Average,
    Measure,
    Method,
    Protocol,
    Study,
    averaged_measures,
    own_sources,
)


class EvidenceFacts(Struct, frozen=True):
    """What is known before it is made of the outcomes of one source under one protocol.

    `own` is the metric of values that were measured elsewhere, and then the only one there is.
    """

    key: str
    data: str
    label: str
    protocol: str | None
    models: tuple[str, ...]
    own: Method | None = None
    implied: bool = False
    columns: frozenset[str] = frozenset()
    predicted: bool = True
    task: str | None = None
    by_rounds: bool = False

    @property
    def at(self) -> At:
        """The source and the protocol."""
        return At(self.data, self.protocol)

    def measures(self, metric: Method) -> bool:
        """Return whether a metric is one of these outcomes."""
        return metric == self.own if self.own is not None else metric.better is None


def graph_of(study: Study, read: ReadSources, planned: Planned) -> Graph:
    """Build the graph of a study, of what was read and could be split."""
    made = _Builder(study, read, planned)
    made.build()
    return made.graph


class _Builder:
    """A graph in the making."""

    def __init__(self, study: Study, read: ReadSources, planned: Planned) -> None:
        self.study_meant, self.read, self.plan = study, read, planned.plan
        self.layout, self.families = planned.layout, planned.families
        self.graph = Graph(dict(planned.graph.nodes))
        self.fits = planned.fits
        self.fits_of: dict[tuple[str, str], dict[str, list[list[str]]]] = {}
        parts = (study.canonical, dict(study.overrides), own_sources(study))
        self.study = self.graph.add(nodes.STUDY, {}, {"value": study}, *parts)
        self.sources: dict[str, str] = {}
        self.evidence: list[EvidenceFacts] = []
        self.estimates: dict[str, list[str]] = {}
        self.averages: tuple[str, ...] = ()
        self.tests: dict[PlannedComparison, str] = {}

    def build(self) -> None:
        """Add every node, those that others read first."""
        self._place_fits()
        self._add_sources()
        for place in self.evidence:
            if not place.implied:
                self.estimates[place.key] = list(self._estimates(place))
        own = [place for place in self.evidence if not place.implied]
        self.averages = tuple(self._averages(own))
        families = tuple(self._families())
        requirements = tuple(self._requirements(own))
        choices = [
            self.graph.add(nodes.CHOICE, self._of(place), at=place.at, title="the best model")
            for place in ([] if self.averages else own)  # no model is best on one of its data sets
        ]
        drawn = [
            self.graph.add(nodes.DRAWN, self._of(place), at=place.at, title="drawn predictions")
            for place in own
        ]
        exports, exported = self._exports(own)
        analyses = tuple(self._analyses(own))
        every = [place.key for place in self.evidence]
        of_all = {"study": self.study, "evaluations": every}
        failures = self.graph.add(nodes.METRIC_FAILURES, of_all, title="failures")
        of_own = {"study": self.study, "evaluations": [place.key for place in own]}
        missed = self.graph.add(nodes.NEVER_PREDICTED, of_own, title="predicted classes")
        found = self.graph.add(
            nodes.FINDINGS,
            {**of_own, "missed": missed},
            {"tables": self.read.tables, "families": self.families},
            *(table.sha256 for table in self.read.tables.values()),
            title="findings",
        )
        end = self.graph.add(
            nodes.RESULTS,
            {
                "study": self.study,
                "evaluations": every,
                "fits": tuple(self.fits),
                "estimates": [
                    *(key for place in own for key in self.estimates[place.key]),
                    *self.averages,
                ],
                "families": families,
                "requirements": requirements,
                "choices": choices,
                "drawn": drawn,
                "exports": exports,
                "exported": exported,
                "analyses": analyses,
                "failures": failures,
                "missed": missed,
                "found": found,
            },
            {
                "read": self.read,
                "layout": self.layout,
                "tasks": self.fits,
                "protocols": self.plan.protocols,
                "defaults": self.plan.defaults,
            },
            title="results",
        )
        self.graph.ends.append(end)

    def _of(self, place: EvidenceFacts) -> dict[str, str]:
        return {"study": self.study, "evaluation": place.key}

    def _place_fits(self) -> None:
        for place in self.layout.places:
            here = self.fits_of.setdefault((place.data, place.protocol), {})
            seeds = here.setdefault(place.model, [])
            if place.seed == len(seeds):
                seeds.append([])
            seeds[place.seed].append(place.key)

    # --- evidence --------------------------------------------------------------------------

    def _source(self, name: str, value: object, sha256_of_it: str) -> str:
        key = self.graph.add(nodes.SOURCE, {}, {"value": value}, name, sha256_of_it, at=At(name))
        self.sources[name] = key
        return key

    def _add_sources(self) -> None:
        made: dict[tuple[str, str], str] = {}
        # the fits that an interval implies come first, as the evidence that it is for reads them
        protocols = sorted(self.study_meant.protocols, key=lambda one: one.interval_of is None)
        for name, table in self.read.tables.items():
            source = self._source(name, table, table.sha256)
            for protocol in protocols:
                if (name, protocol.name) in self.layout.splits:
                    at = name, protocol.name
                    made[at] = self._fitted(source, name, protocol, made)
        for name, table in self.read.tables.items():
            for protocol in self.study_meant.protocols:
                key = made.get((name, protocol.name))
                if key is not None:
                    self.evidence.append(
                        EvidenceFacts(
                            key,
                            name,
                            table.spec.label,
                            protocol.name,
                            tuple(self._models(name, protocol)),
                            None,
                            protocol.implied_by is not None,
                            frozenset(table.subgroups),
                            True,
                            table.task,
                            PROTOCOLS[protocol.kind].declaration.full_sample,
                        )
                    )
        self.evidence += map(self._given, self.read.imported)
        for scores in self.read.score_tables:
            self.evidence += self._scores(scores)
        self.evidence = [
            place if place.implied else self._measured(place) for place in self.evidence
        ]

    def _measured(self, place: EvidenceFacts) -> EvidenceFacts:
        """Return a place whose evidence has what the metrics of the study make of it."""
        asked = [measure.metric for measure in self._measures(place)]
        asked += [line.metric for line in self.study_meant.requirements]
        metrics = tuple(metric for metric in dict.fromkeys(asked) if place.measures(metric))
        made = [
            self.graph.add(
                nodes.METRIC,
                self._of(place),
                {"metric": metric},
                metric.written,
                at=place.at,
                title=f"{metric.written} on {place.label}",
            )
            for metric in metrics
        ]
        key = self.graph.add(
            nodes.MEASURED, {**self._of(place), "values": made}, {"metrics": metrics}, at=place.at
        )
        return replace(place, key=key)

    def _measures(self, place: EvidenceFacts) -> tuple[Measure, ...]:
        """Return what is measured on a data set: each metric once, with its written interval."""
        found: dict[Method, Measure] = {}
        for measure in self.study_meant.measures:
            if measure.metric not in found or found[measure.metric].interval is None:
                found[measure.metric] = measure
        return (*found.values(), *self._compared_alone(place))

    def _models(self, name: str, protocol: Protocol) -> Iterator[str]:
        """Iterate over the models that are fitted, or have stored predictions, in their order."""
        fitted = self.fits_of.get((name, protocol.name), {})
        for model in self.study_meant.models:
            if model.name in fitted or (name, protocol.name, model.name) in self.layout.stored:
                yield model.name

    def _fitted(
        self, source: str, name: str, protocol: Protocol, made: Mapping[tuple[str, str], str]
    ) -> str:
        splits = self.layout.splits[name, protocol.name]
        hashed = folds_hash({name: splits})
        drawn = self.graph.add(
            nodes.SPLITS, {}, {"value": splits}, hashed, at=At(name, protocol.name)
        )
        outcomes = []
        read = {"table": source, "splits": drawn}
        tested = self.graph.add(nodes.TEST_ROWS, read, at=At(name, protocol.name))
        for model in self._models(name, protocol):
            at = At(name, protocol.name, model)
            if (name, protocol.name, model) in self.layout.stored:
                found = {"found": self.layout.stored[name, protocol.name, model]}
                spec = next(one for one in self.study_meant.models if one.name == model)
                hashed = "" if spec.stored is None else spec.stored.sha256 or ""
                outcomes.append(
                    self.graph.add(nodes.STORED_OUTCOME, read, found, model, hashed, at=at)
                )
                continue
            seeds = self.fits_of[name, protocol.name][model]
            fits = [key for seed in seeds for key in seed]
            inputs = {**read, "tested": tested, "fits": fits}
            given = {"seeds": len(seeds)}
            outcomes.append(self.graph.add(nodes.OUTCOME, inputs, given, model, at=at))
        further = [
            made[name, other.name]
            for other in self.study_meant.protocols
            if other.interval_of == protocol.name and (name, other.name) in made
        ]
        return self.graph.add(
            nodes.EVIDENCE,
            {"table": source, "splits": drawn, "outcomes": outcomes, "further": further},
            {"protocol": protocol, "models": tuple(self._models(name, protocol))},
            protocol.name,
            at=At(name, protocol.name),
        )

    def _given(self, source: GivenOutcomes) -> EvidenceFacts:
        name = source.spec.name
        key = self._source(name, source, source.sha256)
        return EvidenceFacts(
            self.graph.add(nodes.GIVEN_EVIDENCE, {"source": key}, at=At(name)),
            name,
            source.spec.label,
            None,
            tuple(model.name for model in source.models),
            own_metric(source.spec),
            columns=frozenset(source.subgroups),
            predicted=source.correct is None and source.battles is None,
            task=source.task,
        )

    def _scores(self, scores: ScoreTable) -> Iterator[EvidenceFacts]:
        table = self._source(scores.spec.name, scores, scores.sha256)
        for row, name in enumerate(scores.names):
            present = ~scores.missing[row]
            key = self.graph.add(
                nodes.SCORE_EVIDENCE, {"table": table}, {"row": row}, row, at=At(name)
            )
            models = tuple(m.name for m, here in zip(scores.models, present, strict=True) if here)
            own = own_metric(scores.spec)
            yield EvidenceFacts(
                key, name, name, None, models, own, predicted=False, task="regression"
            )

    # --- what is computed from it ----------------------------------------------------------

    def _average(self, places: Sequence[EvidenceFacts], metric: Method, over: Average) -> str:
        """Return the node of the examples of several data sets, measured by the metric."""
        title, at = f"{metric.written} averaged over {over}", At(protocol=places[0].protocol)
        average = self.graph.add(
            nodes.AVERAGED,
            {"evaluations": [place.key for place in places]},
            {"metric": metric, "over": over},
            metric.written,
            over,
            at=at,
            title=title,
        )
        inputs = {"study": self.study, "evaluation": average}
        values = [self.graph.add(nodes.METRIC, inputs, {"metric": metric}, at=at, title=title)]
        given = {"metrics": (metric,)}
        return self.graph.add(nodes.MEASURED, {**inputs, "values": values}, given, at=at)

    def _averages(self, own: Sequence[EvidenceFacts]) -> Iterator[str]:
        """Add the estimates that are averages over the data sets, under each protocol."""
        for measure in averaged_measures(self.study_meant):
            about = [p for p in own if p.measures(measure.metric)]
            for protocol in dict.fromkeys(place.protocol for place in about):
                places = [place for place in about if place.protocol == protocol]
                if measure.averaged is None or len(places) < 2:
                    continue
                key = self._average(places, measure.metric, measure.averaged)
                for model in dict.fromkeys(model for place in places for model in place.models):
                    yield self.graph.add(
                        nodes.ESTIMATE,
                        {"study": self.study, "evaluation": key},
                        {"model": model, "measure": measure},
                        model,
                        at=At(None, protocol, model),
                        title=f"{measure.metric.written} of {model}",
                        models=(model,),
                    )

    def _estimates(self, place: EvidenceFacts) -> Iterator[str]:
        study = self.study_meant
        for measure in self._measures(place):
            for model in place.models if place.measures(measure.metric) else ():
                interval = None if measure.interval is None else measure.interval.written
                yield self.graph.add(
                    nodes.ESTIMATE,
                    self._of(place),
                    {"model": model, "measure": measure},
                    model,
                    measure.metric.written,
                    interval,
                    at=At(place.data, place.protocol, model),
                    title=f"{measure.metric.written} of {model}",
                    models=(model,),
                )
        for measure in study.measures:
            for column in measure.within if place.measures(measure.metric) else ():
                for model in place.models if column in place.columns else ():
                    yield self.graph.add(
                        nodes.SUBGROUPS,
                        self._of(place),
                        {"model": model, "measure": measure, "column": column},
                        model,
                        measure.metric.written,
                        column,
                        at=At(place.data, place.protocol, model),
                        title=f"{measure.metric.written} of {model} within {column}",
                        models=(model,),
                    )

    def _compared_alone(self, place: EvidenceFacts) -> list[Measure]:
        """Return the metrics that models are compared by and that no `measure` line names."""
        study, here = self.study_meant, set(place.models)
        compared = [(metric, line.models) for line in study.comparisons for metric in line.metrics]
        compared += [
            (line.metric, line.models) for line in study.requirements if line.kind != "level"
        ]
        measured = {measure.metric for measure in study.measures}
        metrics = dict.fromkeys(metric for metric, models in compared if set(models) & here)
        for spec in study.analyses:
            if ANALYSES[spec.method.name].declaration.about == "pairs" and spec.metric is not None:
                metrics.setdefault(spec.metric)
        return [Measure(metric, None) for metric in metrics if metric not in measured]

    def _families(self) -> Iterator[str]:
        for family in self.families.families:
            if (key := self._family(family)) is not None:
                yield key

    def _family(self, family: Family) -> str | None:
        """Return the node of a family, None where no source of its tests could be read."""
        at = {(place.data, place.protocol): place for place in self.evidence}
        tests = []
        for planned in family.comparisons:
            line = planned.line
            inputs: dict[str, str | Iterable[str]] = {"study": self.study, "evaluations": ()}
            given: dict[str, object] = {"planned": planned}
            protocol = line.protocol
            if planned.table is not None:
                table = self.sources.get(planned.table)
                if table is None:
                    continue
                inputs["table"] = table
            else:
                given["table"] = None
                found = [
                    at.get((name, None)) or at.get((name, line.protocol))
                    for name in planned.sources
                ]
                places = [place for place in found if place is not None]
                if len(places) < len(found) or not places:
                    continue  # which could not be read
                inputs["evaluations"] = [place.key for place in places]
                if line.averaged is not None:
                    average = self._average(places, planned.metric, line.averaged)
                    inputs["evaluations"] = [average]
                protocol = line.protocol if line.across else places[0].protocol
            data = None if line.over_data else planned.sources[0]
            key = self.graph.add(
                nodes.TESTS,
                inputs,
                given,
                line.index,
                planned.metric.written,
                planned.source,
                at=At(data, protocol),
                title=line.source,
                models=planned.models,
            )
            self.tests[planned] = key
            tests.append(key)
        if not tests:
            return None
        return self.graph.add(
            nodes.FAMILY,
            {"study": self.study, "test_runs": tests},
            {"family": family},
            title="decisions",
        )

    def _requirements(self, own: Sequence[EvidenceFacts]) -> Iterator[str]:
        for line in self.study_meant.requirements:
            about = [place for place in own if place.protocol in (None, line.protocol)]
            keys = [place.key for place in about]
            here = [place for place in about if place.measures(line.metric)]
            if line.averaged is not None and here:
                keys = [self._average(here, line.metric, line.averaged)]
            yield self.graph.add(
                nodes.REQUIREMENT,
                {"study": self.study, "evaluations": keys},
                {"spec": line},
                line.index,
                title=line.source,
            )

    def _whole_estimates(self, place: EvidenceFacts) -> list[str]:
        """Return the estimates of a place, without those of subgroups."""
        every = self.estimates[place.key]
        return [key for key in every if self.graph.nodes[key].kind == nodes.ESTIMATE]

    # --- exports ---------------------------------------------------------------------------

    def _exports(self, own: Sequence[EvidenceFacts]) -> tuple[list[str], list[str]]:
        """Add the fits of exported models, each once, and the record of every line."""
        tasks, fits = self.layout.exports, dict[str, str]()
        exported = []
        lines = [line for line in self.study_meant.exports if tasks]
        for line in sorted(lines, key=lambda one: one.model is None):
            model = line.model or ""
            if model in fits or (model and model not in tasks):
                continue
            able = [tasks[model]] if model else list(tasks.values())
            place = next(one for one in own if one.protocol == able[0].protocol)
            inputs: dict[str, str | Iterable[str]] = {
                "fits": dict.fromkeys(key for one in able for key in one.chosen_in)
            }
            if not model:
                inputs["estimates"] = self._whole_estimates(place)
                inputs["named"] = [key for name, key in fits.items() if name]
            fits[model] = self.graph.add(
                nodes.EXPORT,
                inputs,
                {"tasks": tuple(able)},
                *(one.task.key for one in able),
                at=At(able[0].task.data, able[0].protocol, model or "best"),
                n_fits=max(one.task.n_fits for one in able),
            )
        for line in lines:
            if (line.model or "") in fits:
                protocol = next(iter(tasks.values())).protocol
                place = next(one for one in own if one.protocol == protocol)
                exported.append(
                    self.graph.add(
                        nodes.EXPORTED,
                        {
                            "study": self.study,
                            "made": fits[line.model or ""],
                            "evaluation": place.key,
                        },
                        {"spec": line},
                        line.path,
                        title=line.path,
                    )
                )
        return list(fits.values()), exported

    # --- analyses --------------------------------------------------------------------------

    def _analyses(self, own: Sequence[EvidenceFacts]) -> Iterator[str]:
        for index, spec in enumerate(self.study_meant.analyses):
            declared = ANALYSES[spec.method.name].declaration
            if declared.about == "lines":
                yield self.graph.add(
                    nodes.LINE_ANALYSIS,
                    {"study": self.study},
                    {
                        "spec": spec,
                        "read": self.read,
                        "splits": self.layout.splits,
                        "families": self.families,
                    },
                    index,
                    *self.sources.values(),
                    at=At(protocol=spec.protocol),
                    title=spec.method.written,
                )
            elif declared.about == "decisions":
                yield self.graph.add(
                    nodes.DECISION_ANALYSIS,
                    {
                        "study": self.study,
                        "test_runs": [self.tests[one] for one in self._decided(spec)],
                    },
                    {"spec": spec, "families": self.families},
                    index,
                    at=At(protocol=spec.protocol),
                    title=spec.method.written,
                )
            elif declared.about == "estimates":
                estimates = [key for place in own for key in self._whole_estimates(place)]
                for place in own:
                    if spec.protocol in (None, place.protocol):
                        yield self.graph.add(
                            nodes.ESTIMATE_ANALYSIS,
                            {"study": self.study, "estimates": estimates},
                            {"spec": spec, "data": place.data, "protocol": place.protocol},
                            index,
                            place.data,
                            place.protocol,
                            at=place.at,
                            title=f"{spec.method.name} of {place.label}",
                        )
            elif declared.about == "pairs":
                estimates = [key for place in own for key in self._whole_estimates(place)]
                for family in self.families.of_analyses[index]:
                    if (decided := self._family(family)) is None:
                        continue
                    (planned,) = family.comparisons
                    yield self.graph.add(
                        nodes.PAIR_ANALYSIS,
                        {
                            "study": self.study,
                            "comparisons": decided,
                            "estimates": [*estimates, *self.averages],
                        },
                        {"spec": spec, "metric": planned.metric},
                        index,
                        planned.metric.written,
                        at=self.graph.nodes[self.tests[planned]].at,
                        title=f"{spec.method.name} {planned.source}",
                    )
            else:
                yield from self._analyses_of_models(index, spec, declared, own)

    def _decided(self, spec: AnalysisSpec) -> Iterator[PlannedComparison]:
        """Iterate over all tests of the families that an item decides again."""
        families = {
            id(family): family
            for line in lines_decided(self.study_meant, spec)
            for family in (self.families.by_line[line.index],)
        }
        for family in families.values():
            yield from (one for one in family.comparisons if one in self.tests)

    def _analyses_of_models(
        self, index: int, spec: AnalysisSpec, declared: AnalysisDeclaration,
        own: Sequence[EvidenceFacts],
    ) -> Iterator[str]:  # fmt: skip
        if declared.about_rows:
            own = [*{place.data: place for place in reversed(own)}.values()][::-1]
        for place in own:
            if not _answers(declared, spec, place):
                continue
            models = self._analysed(spec, declared, place)
            drawn = [
                one
                for one in self.layout.subsets
                if one.analysis == index
                and one.data == place.data
                and (declared.about_rows or one.protocol == place.protocol)
            ]
            for model in models if declared.about == "model" else (None,):
                together = model is None or (declared.fits is not None and declared.fits.exchanging)
                about = models if together else (model,)
                subsets = [one for one in drawn if one.model in about]
                yield self.graph.add(
                    nodes.MODEL_ANALYSIS,
                    {
                        **self._of(place),
                        "fits": dict.fromkeys(one.key for one in subsets),
                        **({"table": self.sources[place.data]} if subsets else {}),
                    },
                    {
                        "spec": spec,
                        "models": models if model is None else (model,),
                        "line": models,
                        "subsets": tuple(subsets),
                        "tasks": {one.key: self.fits[one.key] for one in subsets},
                    },
                    index,
                    model,
                    at=At(place.data, place.protocol, model),
                    title=f"{spec.method.name} of {model or place.label}",
                    models=models if model is None else (model,),
                )

    def _analysed(
        self, spec: AnalysisSpec, declared: AnalysisDeclaration, place: EvidenceFacts
    ) -> tuple[str, ...]:
        """Return the models that an analysis answers about, by default all but the baselines."""
        study = self.study_meant
        baselines = {model.name for model in study.models if is_baseline(model)}
        everyone = [name for name in place.models if name not in baselines]
        if declared.needs == "searches":
            searched = {model.name for model in study.models if search_space(model.pipeline)}
            everyone = [name for name in everyone if name in searched]
        if declared.about_fitted:
            fitted = {model.name for model in study.fitted}
            everyone = [name for name in everyone if name in fitted]
        return tuple(name for name in (spec.models or everyone) if name in place.models)


def _answers(declared: AnalysisDeclaration, spec: AnalysisSpec, place: EvidenceFacts) -> bool:
    """Return whether the outcomes of a source are predictions that an analysis reads."""
    rounds = declared.needs == "searches" or declared.about_rows or not place.by_rounds
    return (
        spec.protocol in (None, place.protocol)
        and place.predicted
        and place.own is None
        and rounds
        and declared.task in (None, place.task)
        and (not declared.about_fitted or place.protocol is not None)
    )


# --- the graph as a plan shows it ----------------------------------------------------------


def tasks_of(graph: Graph) -> tuple[Task, ...]:
    """Return the nodes in the words of a plan, those of one model and word as one.

    A task needs the tasks that it reads, but for those that come to it through another.
    """
    group_of: dict[str, str] = {}
    groups: dict[tuple[object, ...], list[Node]] = {}
    for node in graph.nodes.values():
        if node.kind.word is not None:
            alone = node.kind in (nodes.FIT, nodes.EXPORT)
            told = node.key if alone else (node.title if node.kind == nodes.TESTS else "")
            groups.setdefault((node.kind.word, node.at, told), []).append(node)
    for members in groups.values():
        keys = [node.key for node in members]
        text = canonical_json(keys).encode("ascii")
        group_of |= dict.fromkeys(keys, keys[0] if len(keys) == 1 else sha256(text).hexdigest())
    read: dict[str, dict[str, None]] = {}
    tasks = []
    for members in groups.values():
        key = group_of[members[0].key]
        needs = dict.fromkeys(
            found for node in members for found in _needed(graph, node, group_of) if found != key
        )
        through = {again for one in needs for again in read.get(one, ())}
        read[key] = {one: None for one in needs if one not in through}
        first = members[0]
        tasks.append(
            Task(
                key,
                first.kind.word or "",
                first.at.data,
                first.at.protocol,
                first.at.model,
                first.at.repeat,
                first.at.fold,
                first.n_fits,
                tuple(read[key]),
            )
        )
    return tuple(tasks)


def _needed(graph: Graph, node: Node, group_of: Mapping[str, str]) -> Iterator[str]:
    """Iterate over the tasks that a node reads, of several models those of its own."""
    about, seen, stack = set(node.models), set[str](), list(node.reads)[::-1]
    while stack:
        key = stack.pop()
        if key in seen:
            continue
        seen.add(key)
        if key in group_of:
            yield group_of[key]
            continue
        found = graph.nodes[key]
        outcome = found.kind in (nodes.OUTCOME, nodes.STORED_OUTCOME)
        if not (outcome and about and found.at.model not in about):
            stack += list(found.reads)[::-1]
