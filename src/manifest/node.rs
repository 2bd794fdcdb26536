//! A YAML document as a tree in which every node knows its place.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// One node of a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// Line, from 1. For what an alias stands for, the alias's own line.
    pub(super) line: usize,
    /// Column in characters, from 1.
    pub(super) column: usize,
    /// Where a scalar's own text lies in the source, in bytes; empty where the parser does not say.
    pub(super) bytes: std::ops::Range<usize>,
    /// What it is.
    pub(super) kind: NodeKind,
}

/// What a node is. Scalars keep the type that YAML gives them, so that `1` and `"1"` stay apart.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NodeKind {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number below zero.
    Int(i64),
    /// A whole number from zero.
    UInt(u64),
    /// Any other number; always finite.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the file. Keys are unique.
    Map(Vec<(Node, Node)>),
}

/// A key that JSON cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyError {
    /// Where the key stands.
    pub(super) line: usize,
    /// Where the key stands.
    pub(super) column: usize,
    /// What the key is, in words.
    pub(super) found: String,
    /// Where its own text lies, in bytes; empty for lists and maps.
    pub(super) bytes: std::ops::Range<usize>,
}

/// Which half of a map's entry is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// The key.
    Key,
    /// The value.
    Value,
}

impl Node {
    /// The same document as JSON. Keys that are no texts are left out and reported, all of them.
    pub(super) fn to_json(&self, key_errors: &mut Vec<KeyError>) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(flag) => Value::Bool(*flag),
            NodeKind::Int(number) => Value::Number((*number).into()),
            NodeKind::UInt(number) => Value::Number((*number).into()),
            NodeKind::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
            NodeKind::Text(text) => Value::String(text.clone()),
            NodeKind::List(items) => Value::Array(items.iter().map(|item| item.to_json(key_errors)).collect()),
            NodeKind::Map(entries) => {
                let mut fields = Map::with_capacity(entries.len());
                for (key, value) in entries {
                    let value = value.to_json(key_errors);
                    match &key.kind {
                        NodeKind::Text(name) => {
                            fields.insert(name.clone(), value);
                        }
                        other => key_errors.push(KeyError {
                            line: key.line,
                            column: key.column,
                            found: other.in_words(),
                            bytes: if other.is_scalar() { key.bytes.clone() } else { 0..0 },
                        }),
                    }
                }
                Value::Object(fields)
            }
        }
    }

    /// The entry `name` of a map.
    pub(super) fn entry(&self, name: &str) -> Option<(&Node, &Node)> {
        let NodeKind::Map(entries) = &self.kind else { return None };
        entries.iter().map(|(key, value)| (key, value)).find(|(key, _)| key.kind.is_text(name))
    }

    /// The node that a JSON pointer (RFC 6901) leads to, or the deepest one on the way to it. For an entry of
    /// a map, `half` says whether its key or its value is meant.
    pub(super) fn at(&self, pointer: &str, half: Half) -> &Node {
        let mut node = self;
        let mut key_node = None;
        for token in pointer.split('/').skip(1) {
            let name = token.replace("~1", "/").replace("~0", "~");
            let next = match &node.kind {
                NodeKind::List(items) => name.parse().ok().and_then(|index: usize| items.get(index)).map(|n| (None, n)),
                _ => node.entry(&name).map(|(key, value)| (Some(key), value)),
            };
            let Some((key, value)) = next else { break };
            (key_node, node) = (key, value);
        }
        match half {
            Half::Key => key_node.unwrap_or(node),
            Half::Value => node,
        }
    }

    /// Every number that is no whole number to this program.
    pub(super) fn for_each_float(&self, visit: &mut impl FnMut(&Node)) {
        match &self.kind {
            NodeKind::Float(_) => visit(self),
            NodeKind::List(items) => items.iter().for_each(|item| item.for_each_float(visit)),
            NodeKind::Map(entries) => entries.iter().for_each(|(key, value)| {
                key.for_each_float(visit);
                value.for_each_float(visit);
            }),
            _ => {}
        }
    }
}

impl NodeKind {
    fn is_scalar(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Map(_))
    }

    fn is_text(&self, wanted: &str) -> bool {
        matches!(self, Self::Text(text) if text == wanted)
    }

    /// The node in a few words: `the number 1`, `a list`.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Null => "nothing".to_owned(),
            Self::Bool(flag) => format!("the truth value {flag}"),
            Self::Int(number) => format!("the number {number}"),
            Self::UInt(number) => format!("the number {number}"),
            Self::Float(number) => format!("the number {number}"),
            Self::Text(_) => "a text".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "a map".to_owned(),
        }
    }
}

/// `pointer` with one more token: a key of a map or an index of a list.
pub(super) fn below(pointer: &str, key: impl fmt::Display) -> String {
    let key = key.to_string();
    if key.contains(['~', '/']) {
        format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
    } else {
        format!("{pointer}/{key}")
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = serde_yaml::Spanned::<NodeKind>::deserialize(deserializer)?;
        let span = spanned.defined.span();
        let start = span.byte_offset().and_then(|offset| usize::try_from(offset).ok()).unwrap_or(0);
        let length = span.byte_len().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
        Ok(Self {
            line: usize::try_from(spanned.referenced.line()).unwrap_or(0),
            column: usize::try_from(spanned.referenced.column()).unwrap_or(0),
            bytes: start..start.saturating_add(length),
            kind: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for NodeKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = NodeKind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<NodeKind, E> {
        Ok(NodeKind::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<NodeKind, E> {
        Ok(NodeKind::Null)
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<NodeKind, E> {
        Ok(NodeKind::Bool(flag))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<NodeKind, E> {
        Ok(u64::try_from(number).map_or(NodeKind::Int(number), NodeKind::UInt))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<NodeKind, E> {
        Ok(NodeKind::UInt(number))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<NodeKind, E> {
        Ok(NodeKind::Float(number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<NodeKind, E> {
        Ok(NodeKind::Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<NodeKind, E> {
        Ok(NodeKind::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<NodeKind, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(NodeKind::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<NodeKind, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(NodeKind::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Node {
        serde_yaml::from_str(text).unwrap()
    }

    #[test]
    fn scalars_keep_the_type_that_they_are_written_with() {
        let mut key_errors = Vec::new();
        let json = read("[1, '1', -1, 1.5, true, 'true', null, text]").to_json(&mut key_errors);
        assert_eq!(json, json!([1, "1", -1, 1.5, true, "true", null, "text"]));
        assert_eq!(key_errors, []);
    }

    #[test]
    fn a_pointer_leads_to_a_key_or_a_value_or_as_far_as_it_can() {
        let node = read("a/b:\n  - ~c: 1\n  - second\n");
        let place = |pointer: &str, half: Half| {
            let found = node.at(pointer, half);
            (found.line, found.column)
        };
        assert_eq!(place("", Half::Value), (1, 1));
        assert_eq!(place("/a~1b", Half::Key), (1, 1));
        assert_eq!(place("/a~1b/0/~0c", Half::Key), (2, 5));
        assert_eq!(place("/a~1b/0/~0c", Half::Value), (2, 9));
        assert_eq!(place("/a~1b/1", Half::Key), (3, 5));
        assert_eq!(place("/a~1b/7/x", Half::Value), (2, 3));
        assert_eq!(below("/x", "a/b~"), "/x/a~1b~0");
    }

    #[test]
    fn what_an_alias_repeats_is_placed_where_it_is_repeated() {
        let node = read("a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n");
        assert_eq!(node.at("/c", Half::Value).line, 2);
        let mut key_errors = Vec::new();
        assert_eq!(node.to_json(&mut key_errors), json!({"a": {"b": 1}, "c": {"b": 1}, "d": {"b": 1, "e": 2}}));
    }
}
