//! The annotator from outside: its server by raw sockets, and its screens in a browser.

mod browser;
mod hostile;
mod killed;
mod more_screens;
mod screens;
mod server;
mod support;
