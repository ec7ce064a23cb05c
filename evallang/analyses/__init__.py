"""Analyses, each one module, from the fits it asks for to its section of the report.

The only room that may import both the engine and the report; what is below it finds an analysis in
`ANALYSES` and its section in `SECTIONS`. A module has, in this order,

1. the records of its numbers, which `results.json` repeats (`shown=` checks them when it is read);
2. the fits that it asks for, if any: `fits=Fits(draw, words)`, where `draw` returns the parts of
   the rows on which models are fitted (`learning_curve.py`, `bias_variance.py`);
3. what is refused of its options (`objection=`), and for one about `compare` lines of its study
   (`judge=`); the rest follows from `needs`, `task`, `by_metric`, `of_fitted` and others of
   `AnalysisDeclaration`;
4. the registered function: `predicted` is one model's predictions, `together` those of all,
   `outcomes` everything else of a run (`engine/outcomes.py`), `estimates` all estimates of a
   study, `question` a test of a `compare` line, `decisions` a line to decide again;
5. its section: a function with `@shows("NAME", order=..., title=...)` that returns the tables and
   figures of one place, and the sentence of the methods text. Without one, a report has tables of
   its numbers under "Further analyses"; with `curve=` and a `ShownCurve` it is drawn under
   "Curves";
6. its key finding: a function with `@states("NAME")` that returns the sentences of the first page,
   made by a macro of `templates/sentences/analyses.sentences.j2`. An analysis without one is
   not part of the key findings.

`tests/conformance/scratch` has a whole one, and one without a section.
"""
