"""From a figure's data to SVG panels and table cells: the one drawing path of pages, files and notebooks."""
