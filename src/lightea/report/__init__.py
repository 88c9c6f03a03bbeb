"""The report of a run: one HTML file that needs no network and nothing but a browser."""

from lightea.report.page import report_page

__all__ = ["report_page"]
