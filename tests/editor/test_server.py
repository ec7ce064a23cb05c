"""The language server as an editor meets it: the real process, over its pipes."""

import pytest
from editing import Editor
from lsprotocol import types as lsp

STUDY = """\
evallang 1

study "Which model sorts wines?"
  seed 1

data wine from sklearn wine

model linear = StandardScaler | LogisticRegression
model nearest = KNeighborsClassifier
model baseline = DummyClassifier

protocol repeated cv folds=10 times=10
measure accuracy, f1(average=macro)
compare linear vs nearest with corrected_t
"""


@pytest.mark.asyncio
async def test_a_misspelt_metric_is_underlined_and_its_fix_mends_it(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY)
    assert await editor.found() == []
    editor.replace("measure accuracy", "measure acuracy")
    (found,) = await editor.found()
    assert (found.range.start, found.range.end) == (editor.at("acuracy"), editor.at("acuracy", 7))
    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(editor.id, found.range, lsp.CodeActionContext([found]))
    )
    quick = [a for a in actions if a.kind == lsp.CodeActionKind.QuickFix]
    (edit,) = quick[0].edit.changes[editor.uri]
    assert edit.new_text == "accuracy"
    editor.replace("acuracy", edit.new_text)
    assert await editor.found() == []


def place_of(editor, position) -> lsp.TextDocumentPositionParams:
    return lsp.TextDocumentPositionParams(editor.id, position)


def ranges(locations):
    return [(loc.range.start, loc.range.end) for loc in locations]


@pytest.mark.asyncio
async def test_a_model_is_found_from_where_it_is_compared(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY)
    used = editor.at("vs nearest", 5)
    (found,) = await client.text_document_definition_async(lsp.DefinitionParams(editor.id, used))
    declared = (editor.at("nearest ="), editor.at("nearest =", 7))
    assert ranges([found]) == [declared]
    every = await client.text_document_references_async(
        lsp.ReferenceParams(lsp.ReferenceContext(True), editor.id, used)
    )
    assert ranges(every) == [declared, (editor.at("nearest with"), editor.at("nearest with", 7))]


@pytest.mark.asyncio
async def test_renaming_a_model_changes_every_line_that_names_it(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY)
    edit = await client.text_document_rename_async(
        lsp.RenameParams(editor.id, editor.at("linear ="), "logistic")
    )
    found = [(e.range.start, e.new_text) for e in edit.changes[editor.uri]]
    assert found == [(editor.at("linear ="), "logistic"), (editor.at("linear vs"), "logistic")]


@pytest.mark.asyncio
async def test_a_name_that_is_taken_is_refused(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY)
    with pytest.raises(Exception, match="declared already"):
        await client.text_document_rename_async(
            lsp.RenameParams(editor.id, editor.at("linear ="), "nearest")
        )


@pytest.mark.asyncio
async def test_a_model_that_is_a_column_keeps_its_column_when_it_is_renamed(client, tmp_path):
    text = 'evallang 1\n\npredictions p from "p.csv"\n  truth y\n  models a "Model A", b\n\n'
    text += "compare a vs b with mcnemar\n"
    editor = Editor(client, tmp_path, text)
    edit = await client.text_document_rename_async(
        lsp.RenameParams(editor.id, editor.at("a vs"), "first")
    )
    made = sorted(
        ((e.range.start.line, e.range.start.character), e.new_text)
        for e in edit.changes[editor.uri]
    )
    assert made == [((4, 9), "first"), ((4, 20), " as a"), ((6, 8), "first")]


@pytest.mark.asyncio
async def test_names_are_found_through_an_included_file(client, tmp_path):
    (tmp_path / "lab.eval").write_text("let prep = StandardScaler\n", encoding="utf-8")
    text = STUDY.replace("evallang 1\n", 'evallang 1\n\ninclude "lab.eval"\n').replace(
        "StandardScaler |", "prep |"
    )
    editor = Editor(client, tmp_path, text)
    (found,) = await client.text_document_definition_async(
        lsp.DefinitionParams(editor.id, editor.at("prep |"))
    )
    assert found.uri == (tmp_path / "lab.eval").as_uri()
    assert found.range == lsp.Range(lsp.Position(0, 4), lsp.Position(0, 8))
    (file,) = await client.text_document_definition_async(
        lsp.DefinitionParams(editor.id, editor.at('"lab.eval"', 3))
    )
    assert file.uri == (tmp_path / "lab.eval").as_uri()
    part = Editor(client, tmp_path, "let prep = StandardScaler\n", "lab.eval")
    assert await part.found() == []
    every = await client.text_document_references_async(
        lsp.ReferenceParams(lsp.ReferenceContext(False), part.id, part.at("prep"))
    )
    assert [loc.uri for loc in every] == [editor.uri]


@pytest.mark.asyncio
async def test_hints_state_the_defaults_and_the_number_of_fits(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY)
    shown = await client.text_document_inlay_hint_async(
        lsp.InlayHintParams(editor.id, lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0)))
    )
    at = {hint.position.line: hint.label for hint in shown}
    lines = editor.text.splitlines()
    assert "alpha 0.05" in at[lines.index('study "Which model sorts wines?"')]
    assert at[lines.index("protocol repeated cv folds=10 times=10")].endswith("300 fits")
    assert "by accuracy" in at[lines.index("compare linear vs nearest with corrected_t")]


@pytest.mark.asyncio
async def test_positions_count_as_the_editor_counts(client, tmp_path):
    text = STUDY.replace("Which model sorts wines?", "𝒲hich 🍷?") + 'measure "🍷", acuracy\n'
    editor = Editor(client, tmp_path, text)
    found = [d for d in await editor.found() if "acuracy" in d.message]
    line = 'measure "🍷", '
    assert {d.range.start.character for d in found} <= {len(line.encode("utf-16-le")) // 2}


async def offered(client, editor, position):
    items = await client.text_document_completion_async(lsp.CompletionParams(editor.id, position))
    return [item.label for item in items]


@pytest.mark.asyncio
async def test_tests_that_the_design_cannot_take_are_not_offered(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY)
    names = await offered(client, editor, editor.at("corrected_t"))
    assert "corrected_t" in names
    assert not {"mcnemar", "delong", "nemenyi", "cochran"} & set(names)


@pytest.mark.asyncio
async def test_names_parameters_and_their_words_are_offered(client, tmp_path):
    text = STUDY.replace("KNeighborsClassifier", "KNeighborsClassifier(weights=uni)")
    editor = Editor(client, tmp_path, text)
    assert await offered(client, editor, editor.at("uni)", 3)) == ["uniform"]
    assert "weights" in await offered(client, editor, editor.at("weights", 1))
    assert "nearest" in await offered(client, editor, editor.at("nearest with", 2))
    assert "compare" in await offered(client, editor, editor.at("compare", 2))


@pytest.mark.asyncio
async def test_hover_explains_words_and_shows_declarations(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY)

    async def shown(words):
        found = await client.text_document_hover_async(
            lsp.HoverParams(editor.id, editor.at(words, 1))
        )
        return found and found.contents.value

    assert "resampl" in await shown("corrected_t")
    assert "model nearest = KNeighborsClassifier" in await shown("nearest with")
    assert "n_neighbors" in await shown("KNeighborsClassifier")
    assert await shown('"Which') is None


@pytest.mark.asyncio
async def test_signature_help_names_the_parameter_that_is_written(client, tmp_path):
    text = STUDY.replace("KNeighborsClassifier", "KNeighborsClassifier(n_neighbors=5, weights=)")
    editor = Editor(client, tmp_path, text)
    found = await client.text_document_signature_help_async(
        lsp.SignatureHelpParams(editor.id, editor.at("weights=", 8))
    )
    (one,) = found.signatures
    assert one.label.startswith("KNeighborsClassifier(")
    assert one.parameters[found.active_parameter].label == "weights"
    assert (
        await client.text_document_signature_help_async(
            lsp.SignatureHelpParams(editor.id, editor.at("measure"))
        )
        is None
    )


@pytest.mark.asyncio
async def test_commands_plan_and_run_the_saved_study(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY.replace("times=10", "times=2"))
    (tmp_path / "wines.eval").write_text(editor.text, encoding="utf-8")
    (tmp_path / "evallang.py").write_text("raise SystemExit('found beside the study')\n")

    async def call(command):
        return await client.workspace_execute_command_async(
            lsp.ExecuteCommandParams(command, [editor.uri])
        )

    assert await call("evallang.openReport") is False
    assert "60 fits" in await call("evallang.plan")
    assert "report: wines-results/report" in await call("evallang.run")
    assert (tmp_path / "wines-results" / "report.html").is_file()
    assert await call("evallang.openReport") is True
    assert client.shown_documents[-1].uri == (tmp_path / "wines-results/report.html").as_uri()


@pytest.mark.asyncio
async def test_columns_of_the_table_are_offered(client, tmp_path):
    (tmp_path / "patients.csv").write_text("age,mean radius,outcome\n61,1.5,yes\n", "utf-8")
    text = 'evallang 1\n\ndata patients from "patients.csv"\n  target \n'
    editor = Editor(client, tmp_path, text)
    names = await offered(client, editor, editor.at("target ", 7))
    assert names[-3:] == ["age", '"mean radius"', "outcome"]


@pytest.mark.asyncio
async def test_an_archive_is_left_alone(client, tmp_path):
    log = Editor(client, tmp_path, "PK\x03\x04 and more", "log.eval")
    editor = Editor(client, tmp_path, STUDY)
    assert await editor.found() == []
    assert log.uri not in client.diagnostics
    assert (
        await client.text_document_hover_async(lsp.HoverParams(log.id, lsp.Position(0, 1))) is None
    )


@pytest.mark.asyncio
async def test_a_study_is_formatted_as_by_the_command(client, tmp_path):
    text = STUDY.replace("measure accuracy, f1", "measure   accuracy,f1")
    editor = Editor(client, tmp_path, text)

    async def edits():
        return await client.text_document_formatting_async(
            lsp.DocumentFormattingParams(editor.id, lsp.FormattingOptions(2, True))
        )

    (edit,) = await edits()
    assert edit.new_text == STUDY
    editor.replace(text, STUDY)
    assert not await edits()
    editor.replace("evallang 1", "evallang 99")
    assert not await edits()


@pytest.mark.asyncio
async def test_all_safe_fixes_are_applied_at_once(client, tmp_path):
    text = STUDY.replace("  seed 1", "seed 1").replace("study ", "studdy ")
    editor = Editor(client, tmp_path, text)
    found = await editor.found()
    assert len(found) == 2
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    only = lsp.CodeActionContext([], only=[lsp.CodeActionKind.SourceFixAll])
    (action,) = await client.text_document_code_action_async(
        lsp.CodeActionParams(editor.id, whole, only)
    )
    (edit,) = action.edit.changes[editor.uri]
    assert edit.new_text == STUDY


@pytest.mark.asyncio
async def test_the_outline_has_statements_and_clauses(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY)
    symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(editor.id))
    assert [(s.detail, s.name) for s in symbols][1:5] == [
        ("study", '"Which model sorts wines?"'),
        ("data", "wine"),
        ("model", "linear"),
        ("model", "nearest"),
    ]
    assert [(s.detail, s.name) for s in symbols[1].children] == [("seed", "1")]
    folds = await client.text_document_folding_range_async(lsp.FoldingRangeParams(editor.id))
    assert [(fold.start_line, fold.end_line) for fold in folds] == [(2, 3)]


@pytest.mark.asyncio
async def test_no_numeric_package_is_loaded_beyond_those_of_a_check(client, tmp_path):
    import subprocess
    import sys

    asked = "import sys, {}; print(*sorted({{m.partition('.')[0] for m in sys.modules}}))"

    def loaded(module):
        command = [sys.executable, "-c", asked.format(module)]
        return set(subprocess.run(command, capture_output=True, text=True).stdout.split())

    more = loaded("evallang.editor.server") - loaded("evallang.cli.check, evallang.api.study_file")
    assert not more & {"numpy", "scipy", "polars", "pandas", "sklearn", "matplotlib", "pyarrow"}


@pytest.mark.asyncio
async def test_a_part_of_a_study_is_judged_with_the_study_also_where_it_is_opened_first(
    client, tmp_path
):
    text = "model linear = StandardScaler | LogisticRegression\n"
    (tmp_path / "lab.eval").write_text(text, encoding="utf-8")
    part = Editor(client, tmp_path, text, "lab.eval")
    assert await part.found()
    whole = STUDY.replace("evallang 1\n", 'evallang 1\n\ninclude "lab.eval"\n')
    whole = whole.replace(text, "").replace("vs nearest", "vs ")
    study = Editor(client, tmp_path, whole)
    at = study.at("vs ", 3)
    assert {"linear", "nearest"} <= set(await offered(client, study, at))
    assert not client.diagnostics[part.uri]
    part.replace("StandardScaler", "StandrdScaler")
    (found,) = await part.found()
    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(part.id, found.range, lsp.CodeActionContext([]))
    )
    assert {edit.new_text for a in actions for edit in a.edit.changes[part.uri]} <= {
        "StandardScaler",
        text,
    }
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(study.id))
    await offered(client, part, lsp.Position(0, 0))
    assert len(client.diagnostics[part.uri]) > 1


@pytest.mark.asyncio
@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "file:///a+b%20(1)/wines.eval"])
async def test_edits_have_the_address_that_the_editor_gave(client, tmp_path, uri):
    editor = Editor(client, tmp_path, STUDY.replace("accuracy, f1", "acuracy, f1"), uri=uri)
    (found,) = await editor.found()
    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(editor.id, found.range, lsp.CodeActionContext([found]))
    )
    edit = await client.text_document_rename_async(
        lsp.RenameParams(editor.id, editor.at("linear ="), "logistic")
    )
    assert {key for made in (edit, *(a.edit for a in actions)) for key in made.changes} == {uri}


@pytest.mark.asyncio
async def test_a_separator_that_ends_no_line_moves_nothing(client, tmp_path):
    text = STUDY.replace("sorts wines", "sorts\u2028 wines\x0c")
    editor = Editor(client, tmp_path, text)
    editor.replace("KNeighborsClassifier", "KNeighborsClassifier(weights=uni)")
    assert await offered(client, editor, editor.at("uni)", 3)) == ["uniform"]


@pytest.mark.asyncio
async def test_only_classes_that_fit_the_task_and_the_step_are_offered(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY.replace("StandardScaler |", "|"))
    steps = set(await offered(client, editor, editor.at("| Log")))
    assert {"StandardScaler", "PCA"} <= steps
    assert not {"LogisticRegression", "Ridge", "DBSCAN"} & steps
    last = set(await offered(client, editor, editor.at("KNeighborsClassifier")))
    assert {"StandardScaler", "LogisticRegression"} <= last
    assert not {"Ridge", "DBSCAN"} & last


@pytest.mark.asyncio
async def test_a_metric_that_needs_an_option_is_judged_with_it(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY)
    names = set(await offered(client, editor, editor.at("accuracy, f1")))
    assert {"fbeta", "top_k_accuracy"} <= names
    assert not {"mase", "pinball", "interval_score"} & names


@pytest.mark.asyncio
async def test_every_word_of_a_protocol_explains_the_protocol(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY)
    for word in ("repeated cv", "cv folds"):
        found = await client.text_document_hover_async(
            lsp.HoverParams(editor.id, editor.at(word, 1))
        )
        assert found.contents.value.startswith("**repeated cv** (protocol)")


@pytest.mark.asyncio
async def test_a_column_with_a_label_takes_no_name_that_needs_quotes(client, tmp_path):
    text = 'evallang 1\n\npredictions p from "p.csv"\n  truth y\n  models a "Model A", b\n\n'
    editor = Editor(client, tmp_path, text)
    with pytest.raises(Exception, match="is not a name"):
        await client.text_document_rename_async(
            lsp.RenameParams(editor.id, editor.at('a "Model'), "with")
        )
