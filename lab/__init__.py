"""The laboratory: what makes and measures the models and tables that ship.

| program | does | takes |
| --- | --- | --- |
| ``python -m lab.recipes.NAME`` | makes a model, a table or a part of deploy/ | minutes to hours |
| ``python -m lab.accuracy`` | measures accuracy on corpora and on tasks | minutes to hours |
| ``python -m lab.measurements`` | measures the figures of lab/figures.json | minutes to hours |
| ``python -m lab.figures`` | writes them into the pages | a second |

All run from the root of the repository, with the corpora in the folder that TOKALIGN_DATA names.
lab/experiments.md records what was tried. Nothing imports the laboratory, and neither the wheel nor
the sdist holds it.
"""
