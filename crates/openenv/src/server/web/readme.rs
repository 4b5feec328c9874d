//! A README as a page can show it.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd, html};

/// The text as HTML without anything in it that could act: HTML of the author's own
/// is shown as text, and links lead to pages only.
pub(super) fn to_html(markdown: &str) -> String {
    let text = without_front_matter(markdown);
    let extensions = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let mut in_text_only = false;
    let events = Parser::new_ext(text, extensions).filter_map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Some(Event::Text(html)),
        // What is not on the page, or not anywhere, is shown by its name alone.
        Event::Start(Tag::Link {
            link_type,
            ref dest_url,
            ..
        }) => {
            in_text_only = !leads_to_page(link_type, dest_url);
            (!in_text_only).then_some(event)
        }
        Event::End(TagEnd::Link) if std::mem::take(&mut in_text_only) => None,
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        event => Some(event),
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    // What is too wide is scrolled, with the keyboard too.
    out.replace("<pre>", "<pre tabindex=\"0\">")
}

fn leads_to_page(kind: LinkType, link: &str) -> bool {
    let link = link.trim_start().to_ascii_lowercase();
    kind == LinkType::Email
        || ["https://", "http://", "mailto:"]
            .iter()
            .any(|start| link.starts_with(start))
}

/// Spaces keep settings above the text.
fn without_front_matter(markdown: &str) -> &str {
    let text = markdown.trim_start_matches('\u{feff}');
    let Some(settings) = text.strip_prefix("---\n").or(text.strip_prefix("---\r\n")) else {
        return text;
    };
    match settings.find("\n---") {
        Some(end) => settings[end + 4..].trim_start_matches(['-', '\r', '\n']),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_readme_acts() {
        let html = to_html(
            "---\ntitle: x\n---\n# Hi\n<script>alert(1)</script>\n\n\
             [a](javascript:alert(1)) [b](https://b.example) <img src=x onerror=y> \
             [c](#c) ![d](https://d.example/d.png)",
        );
        assert!(html.starts_with("<h1>Hi</h1>"), "{html}");
        assert!(
            !html.contains("<script") && !html.contains("<img"),
            "{html}"
        );
        assert!(!html.contains("javascript:"), "{html}");
        assert!(
            html.contains(r#"a <a href="https://b.example">b</a>"#),
            "{html}"
        );
        assert!(html.ends_with("c d</p>\n"), "{html}");
    }
}
