//! The screens: a shell with our own text only, and an empty frame that shows a page. Both are static and hold no data.

use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// A screen, and what it may do.
pub(crate) struct Screen {
    /// The page.
    pub(crate) html: String,
    policy: String,
}

impl Screen {
    /// The policy of the screen that a port serves.
    pub(crate) fn policy(&self, port: u16) -> String {
        self.policy.replace("PORT", &port.to_string())
    }
}

fn filled(template: &str, style: &str, script: &str, policy: &str) -> Screen {
    let html = template.replace("/*STYLE*/", style).replace("/*SCRIPT*/", script);
    let policy = policy.replace("SCRIPT", &hash(script)).replace("STYLE", &hash(style));
    Screen { html, policy }
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// The shell: lines, buttons, dialogs.
pub(crate) fn shell() -> &'static Screen {
    static SHELL: LazyLock<Screen> = LazyLock::new(|| {
        let script = [
            include_str!("words.js"),
            include_str!("model.js"),
            include_str!("server.js"),
            include_str!("lines.js"),
            include_str!("page_view.js"),
            include_str!("actions.js"),
            include_str!("dialogs.js"),
            include_str!("main.js"),
        ];
        filled(
            include_str!("shell.html"),
            include_str!("shell.css"),
            &format!("'use strict';\n(() => {{\n{}\n}})();", script.concat()),
            "default-src 'none'; script-src SCRIPT; style-src STYLE; connect-src 'self'; frame-src 'self'; base-uri \
             'none'; form-action 'none'; frame-ancestors 'none'",
        )
    });
    &SHELL
}

/// The frame that shows a page.
pub(crate) fn frame() -> &'static Screen {
    static FRAME: LazyLock<Screen> = LazyLock::new(|| {
        filled(
            include_str!("frame.html"),
            include_str!("frame.css"),
            include_str!("frame.js"),
            "sandbox allow-scripts; default-src 'none'; script-src SCRIPT; style-src 'unsafe-inline'; img-src data:; \
             font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors http://127.0.0.1:PORT",
        )
    });
    &FRAME
}
