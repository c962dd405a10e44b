//! Pages and strangers that mean harm, in Chromium.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::browser::Screen;
use crate::support::{Pages, Serving, settings, work};

/// A server that counts who asks it for anything, and answers with one page.
fn trap(page: String) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            counted.fetch_add(1, Ordering::Relaxed);
            let _ = stream.read(&mut [0; 4096]);
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
                page.len()
            );
        }
    });
    (port, count)
}

#[test]
fn a_page_runs_nothing_and_fetches_nothing() {
    let (port, asked) = trap(String::new());
    let evil = format!("http://127.0.0.1:{port}/x");
    let page = format!(
        "<!doctype html><meta http-equiv=refresh content='0;url={evil}'><base href={evil}>
        <link rel=stylesheet href={evil}><link rel=prefetch href={evil}><link rel=dns-prefetch href={evil}>
        <style>@import url({evil}); body {{ background: url({evil}) }} p::before {{ content: url({evil}) }}
        @font-face {{ font-family: f; src: url({evil}) }} p {{ font-family: f }}</style>
        <body onload=\"parent.struck=1;fetch('{evil}')\" background={evil}>
        <script>parent.struck=1;top.location='{evil}';fetch('{evil}')</script>
        <img src={evil} onerror=parent.struck=1 srcset='{evil} 2x'><img src=x onerror=parent.struck=1>
        <iframe src={evil} srcdoc='<script>top.struck=1</script>'></iframe><object data={evil}></object><embed src={evil}>
        <video src={evil} poster={evil} autoplay></video><audio src={evil} autoplay></audio>
        <form action={evil} id=f><input name=a autofocus onfocus=parent.struck=1><button formaction={evil}>b</button></form>
        <svg onload=parent.struck=1><animate onbegin=parent.struck=1 attributeName=x dur=1s /><script>struck=1</script>
        <image href={evil} /><use href={evil} /></svg><math href=javascript:struck=1>m</math>
        <a href=javascript:parent.struck=1 id=link ping={evil} target=_top>first text</a><p style='background:url({evil})'>second
        text</p><p>&lt;script&gt;struck=1&lt;/script&gt; &lt;img src=x onerror=struck=1&gt;</p><details ontoggle=struck=1>d</details>"
    );
    let name = "<img src=x onerror=struck=1>";
    let pages = Pages::new(&[("p", name, &page)]);
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(pages, settings(folder.path(), "li", 1));
    let Some(screen) = Screen::open(&serving.address, 1280) else { return };
    screen.shows("p");
    screen.press("v");
    screen.command("frame", json!({"id": 0}));
    screen.wait("return document.body.innerText.includes('second')");
    let of_frame = "return [window.struck === undefined, document.querySelectorAll('script,iframe,object,embed,video,form,input,[onload],[href],[onerror]').length,
        (() => { try { return String(parent.document) } catch { return 'refused' } })(),
        (() => { try { return String(localStorage) } catch { return 'refused' } })()]";
    assert_eq!(screen.browser.ask(of_frame), json!([true, 0, "refused", "refused"]));
    // A script in the frame has no way out either.
    let tried = screen.browser.ask(&format!("return fetch('{evil}').then(() => 'got', () => 'refused')"));
    assert_eq!(tried, json!("refused"));
    let own = screen.browser.ask(&format!(
        "return fetch('http://127.0.0.1:{}/api/state').then(() => 'got', () => 'refused')",
        serving.port
    ));
    assert_eq!(own, json!("refused"));
    screen.command("frame", json!({"id": null}));
    screen.press("1");
    screen.says("saved");
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert_eq!(screen.browser.ask("return window.struck === undefined"), json!(true));
    assert!(screen.browser.text("return document.getElementById('page-name').textContent").contains(name));
    assert_eq!(screen.browser.ask("return document.querySelectorAll('header img').length"), json!(0));
    assert!(screen.browser.text("return location.href").ends_with(&format!(":{}/", serving.port)));
    assert_eq!(asked.load(Ordering::Relaxed), 0, "something was fetched");
}

#[test]
fn a_stranger_on_another_port_reads_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(Pages::new(&[("p", "x.cn", "<p>secret text")]), settings(folder.path(), "li", 1));
    let own = format!("http://127.0.0.1:{}", serving.port);
    let body = r#"{"seq":0,"events":[{"do":"note","text":"struck"}]}"#;
    let page = format!(
        "<title>evil</title><form id=f method=post action='{own}/api/pages/p/log' enctype='text/plain' target=t>
        <input name='{}' value=''></form><iframe name=t></iframe><iframe id=i src='{own}/'></iframe>
        <img src='{own}/api/state'><script src='{own}/api/state'></script>",
        body.replace('\'', "")
    );
    let (port, _) = trap(page);
    let Some(screen) = Screen::open(&format!("http://127.0.0.1:{port}/"), 1280) else { return };
    let tries = [
        format!("return fetch('{own}/api/pages/p').then(() => 'got', () => 'refused')"),
        format!("return fetch('{own}/api/pages/p', {{mode: 'no-cors'}}).then(answer => answer.text(), () => '')"),
        format!(
            "return fetch('{own}/api/pages/p/log', {{method: 'POST', mode: 'no-cors', body: '{body}'}}).then(() => 'sent', () => 'refused')"
        ),
        format!(
            "return fetch('{own}/api/pages/p/log', {{method: 'POST', headers: {{'Content-Type': 'application/json', Authorization: 'Bearer 0'}}, body: '{body}'}}).then(() => 'got', () => 'refused')"
        ),
        "document.getElementById('f').submit(); return 'sent'".to_owned(),
        "try { return String(document.getElementById('i').contentWindow.document.body) } catch { return 'refused' }"
            .to_owned(),
        format!(
            "const other = window.open('{own}/'); try {{ return String(other.document.body.innerHTML.length > 0) }} catch {{ return 'refused' }}"
        ),
    ];
    let answers: Vec<_> = tries.iter().map(|script| screen.browser.ask(script)).collect();
    for answer in &answers {
        assert!(!answer.to_string().contains("secret") && answer != "got", "{answers:?}");
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let log = std::fs::read_to_string(folder.path().join("li.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(work(folder.path(), "li").pages.is_empty());
}
