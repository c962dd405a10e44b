//! The HTML report in a browser, from the disk: Chromium by way of ChromeDriver, where both are installed.

mod annotator;
mod driver;
mod figures;
mod hostile;
mod report;
mod site;
mod size;
