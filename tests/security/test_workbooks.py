"""A workbook that states or asks for more than it holds is a message and ends no process."""

import struct
import zipfile

import pytest

pytest.importorskip("fastexcel")

from evallang.data.file_formats import read_file
from evallang.data.findings import Findings

OPEN = "http://schemas.openxmlformats.org"
MAIN, OFFICE = f"{OPEN}/spreadsheetml/2006/main", f"{OPEN}/officeDocument/2006/relationships"
LINK = '<Relationship Id="rId1" Type="{}/{}" Target="{}"/>'
PACKAGE = f"{OPEN}/package/2006"
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"/>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    + LINK.format(OFFICE, "officeDocument", "xl/workbook.xml")
    + "</Relationships>",
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    + LINK.format(OFFICE, "worksheet", "worksheets/sheet1.xml")
    + "</Relationships>",
}
HEADER = '<row r="1"><c r="A1" t="inlineStr"><is><t>y</t></is></c></row>'
FAR = '<row r="{0}"><c r="{1}{0}"><v>1</v></c></row>'


def workbook(folder, rows, texts=None):
    with zipfile.ZipFile(folder / "d.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in PARTS.items():
            packed.writestr(name, content)
        sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{HEADER}{rows}</sheetData></worksheet>'
        packed.writestr("xl/worksheets/sheet1.xml", sheet)
        if texts is not None:
            packed.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}" {texts}/>')


def read(folder):
    findings = Findings({})
    frame = findings.tried(read_file, "d.xlsx", folder)
    return frame, [(d.code, d.message) for d in findings.diagnostics]


@pytest.mark.parametrize(
    "rows",
    [
        FAR.format(1_048_576, "XFD"),
        FAR.format(99_999_999_999, "A"),
        FAR.format(9, "ZZZZZZZZZZZZZZZZ"),
        FAR.format(1_048_576, "XFD").replace("=", " =\n"),
        "<row/>" * 10**6 + "<row>" + "<c><v>1</v></c>" * 16_000 + "</row>",
    ],
)
def test_cells_far_away_count_before_there_is_room_for_them(tmp_path, rows):
    workbook(tmp_path, rows)
    _, ((code, message),) = read(tmp_path)
    assert code == "E404" and "bytes are more than the limit" in message


def test_texts_that_are_stated_and_not_there_are_refused(tmp_path):
    workbook(tmp_path, FAR.format(2, "A"), 'count="1" uniqueCount="99999999999"')
    _, ((code, message),) = read(tmp_path)
    assert code == "E405" and message.endswith("it has fewer texts than it states")
    workbook(tmp_path, FAR.format(2, "A"), 'count="99999999999" uniqueCount="0"')
    frame, _ = read(tmp_path)
    assert frame.n == 1


def test_a_size_that_is_stated_wrongly_is_refused(tmp_path):
    workbook(tmp_path, "".join(FAR.format(i, "A") for i in range(2, 10_000)))
    assert read(tmp_path)[0].n == 9998
    packed = bytearray((tmp_path / "d.xlsx").read_bytes())
    for sign, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = packed.rfind(sign)
        struct.pack_into("<I", packed, at + offset, 100)
    (tmp_path / "d.xlsx").write_bytes(packed)
    _, ((code, message),) = read(tmp_path)
    assert code == "E405" and "Bad CRC-32" in message
