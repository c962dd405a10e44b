//! The annotator from outside: its server by raw sockets, and its screens in a browser.

mod browser;
mod hostile;
mod killed;
mod screens;
mod server;
mod support;
