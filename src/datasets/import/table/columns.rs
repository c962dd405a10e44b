//! What the columns of a table mean.

use crate::formats::code::Code;
use serde_json::{Map, Value as Json};

use crate::datasets::MAX_PAGE_BYTES;
use crate::datasets::import::Options;
use crate::datasets::manifest::{Details, GoldSource, HtmlObject, HtmlSource, Record, encode_id};
use crate::datasets::site::{host_of, site_of};
use crate::datasets::words::is_date;

/// For each field of a record the names to try, in order.
#[derive(Debug)]
pub(in crate::datasets::import) struct Columns {
    html: Names,
    gold: Names,
    id: Names,
    url: Names,
    site: Names,
    language: Names,
    kind: Names,
    split: Names,
    crawled: Names,
    /// Columns that are carried along.
    extra: Names,
}

/// Names of a column, to be tried in order.
#[derive(Debug)]
pub(in crate::datasets::import) struct Names {
    pub(in crate::datasets::import) names: Vec<String>,
    /// Whether the user gave them: then one of them must be there.
    pub(in crate::datasets::import) asked: bool,
}

impl Names {
    /// Those that the option `columns.FIELD` gives, else the usual ones.
    pub(in crate::datasets::import) fn of(options: &Options, field: &str, usual: &[&str]) -> Result<Self, String> {
        let option = format!("columns.{field}");
        let Some(given) = options.0.get(&option) else {
            return Ok(Names { names: usual.iter().map(|name| (*name).to_owned()).collect(), asked: false });
        };
        let names: Vec<String> = given.split(',').map(|name| name.trim().to_owned()).collect();
        if names.iter().any(String::is_empty) {
            return Err(format!("{option}: expected names of columns, with commas between"));
        }
        Ok(Names { names, asked: true })
    }

    /// The first of them that the row or its folders have, with its value, which is not null.
    fn value<'c>(&self, row: Cells<'c>) -> Option<(String, &'c Json)> {
        let found = self.names.iter().find_map(|name| Some((name.clone(), find(row, name)?)));
        found.filter(|(_, value)| !value.is_null())
    }

    /// The same, which must be a text.
    pub(in crate::datasets::import) fn text(&self, row: Cells<'_>) -> Result<Option<String>, Fault> {
        match self.value(row) {
            None => Ok(None),
            Some((_, Json::String(text))) => Ok(Some(text.clone())),
            Some((name, _)) => Err((Code::Upstream, format!("the column `{name}` holds no text"))),
        }
    }

    /// The same, if it is not empty.
    fn filled(&self, row: Cells<'_>) -> Result<Option<String>, Fault> {
        Ok(self.text(row)?.filter(|text| !text.is_empty()))
    }
}

/// The values of a row by their columns, and those that its folders stand for.
#[derive(Clone, Copy)]
pub(in crate::datasets::import) struct Cells<'c> {
    pub(in crate::datasets::import) cells: &'c Map<String, Json>,
    pub(in crate::datasets::import) partitions: &'c Map<String, Json>,
}

/// What is wrong with a row: a code and a sentence.
pub(in crate::datasets::import) type Fault = (Code, String);

impl Columns {
    /// The usual names of the column of the page.
    pub(in crate::datasets::import) const USUAL_HTML: &[&str] = &["html", "raw_html", "html_content", "page_html"];

    /// The columns that `options` name, and the usual ones.
    pub(in crate::datasets::import) fn new(options: &Options) -> Result<Self, String> {
        let names = |field: &str, usual: &[&str]| Names::of(options, field, usual);
        let mut html = names("html", Self::USUAL_HTML)?;
        // A table without pages is none, whoever named their column.
        html.asked = true;
        Ok(Columns {
            html,
            gold: names("gold", &[])?,
            id: names("id", &["id", "track_id", "page_id", "record_id", "warc_record_id", "path"])?,
            url: names("url", &["url", "uri", "target_uri", "warc_target_uri"])?,
            site: names("site", &[])?,
            language: names("language", &["language", "lang", "content_languages", "meta.language"])?,
            kind: names("kind", &[])?,
            split: names("split", &[])?,
            crawled: names("crawled", &["date", "fetch_time", "timestamp", "modificationTime"])?,
            extra: names("extra", &["dump", "crawl"])?,
        })
    }

    /// Each field with its names.
    pub(in crate::datasets::import) fn all(&self) -> [(&'static str, &Names); 10] {
        let Columns { html, gold, id, url, site, language, kind, split, crawled, extra } = self;
        [
            ("html", html),
            ("gold", gold),
            ("id", id),
            ("url", url),
            ("site", site),
            ("language", language),
            ("kind", kind),
            ("split", split),
            ("crawled", crawled),
            ("extra", extra),
        ]
    }

    /// Notes which of the columns that must be there this row has.
    pub(super) fn note_seen(&self, cells: &Map<String, Json>, partitions: &Map<String, Json>, seen: &mut Vec<String>) {
        self.note_seen_by(|name| find(Cells { cells, partitions }, name).is_some(), seen);
    }

    /// Notes which of the columns that must be there are there: `is_there` tells it of a name.
    pub(in crate::datasets::import) fn note_seen_by(&self, is_there: impl Fn(&str) -> bool, seen: &mut Vec<String>) {
        for (_, names) in self.all().into_iter().filter(|(_, names)| names.asked) {
            let of_row = names.names.iter().filter(|name| is_there(name));
            let new: Vec<&String> = of_row.filter(|name| !seen.contains(name)).collect();
            seen.extend(new.into_iter().cloned());
        }
    }

    /// A field whose column must be there, and that column, which is in no row.
    pub(in crate::datasets::import) fn never_seen(&self, seen: &[String]) -> Option<(&'static str, &str)> {
        let missing = |(_, names): &(&str, &Names)| names.asked && names.names.iter().all(|name| !seen.contains(name));
        let (field, names) = self.all().into_iter().find(missing)?;
        Some((field, names.names.first()?))
    }

    /// The record of a row, `name` where no column gives an id; `None` where it has no page.
    pub(super) fn record(
        &self,
        cells: &Map<String, Json>,
        partitions: &Map<String, Json>,
        name: &str,
    ) -> Result<Option<Record>, Fault> {
        let row = Cells { cells, partitions };
        let Some(html) = self.html.text(row)? else { return Ok(None) };
        if html.len() as u64 > MAX_PAGE_BYTES {
            return Err((Code::Size, format!("the page has more than {MAX_PAGE_BYTES} bytes")));
        }
        Ok(Some(Record {
            html: HtmlSource::Object(Box::new(HtmlObject { text: Some(html), ..HtmlObject::default() })),
            encoding: Some("utf-8".to_owned()),
            ..self.record_without_page(row, name)?
        }))
    }

    /// The record of a row, `name` where no column gives an id, without its page and the page's encoding.
    pub(in crate::datasets::import) fn record_without_page(&self, row: Cells<'_>, name: &str) -> Result<Record, Fault> {
        let id = match self.id.value(row) {
            Some((_, Json::Number(number))) => number.to_string(),
            _ => self.id.filled(row)?.unwrap_or_else(|| name.to_owned()),
        };
        let (id, url) = (encode_id(&id), self.url.filled(row)?);
        let host = url.as_deref().and_then(host_of);
        let site = self.site.filled(row)?.unwrap_or_else(|| site_of(host.as_deref(), &id));
        let mut details = Details { url, split: self.split.filled(row)?, ..Details::default() };
        match self.crawled.value(row) {
            Some((_, Json::String(date))) if is_date(date) => details.crawled = Some(date.clone()),
            Some((_, other)) => drop(details.other.insert("x-crawled".to_owned(), other.clone())),
            None => {}
        }
        let extra = self.extra.names.iter().filter_map(|name| Some((name.clone(), find(row, name)?.clone())));
        let extra: Map<String, Json> = extra.collect();
        details.extra = (!extra.is_empty()).then(|| Box::new(Json::Object(extra)));
        Ok(Record {
            gold: self.gold.text(row)?.map(GoldSource::of_text),
            site: Some(site),
            language: self.language.filled(row)?.map(|languages| first_language(&languages)),
            kind: self.kind.filled(row)?,
            id,
            details: details.boxed(),
            ..Record::default()
        })
    }
}

/// The cell of that name: a column, what stands below one by dots, or a folder's.
fn find<'c>(row: Cells<'c>, name: &str) -> Option<&'c Json> {
    let Cells { cells, partitions } = row;
    let nested = || {
        let mut parts = name.split('.');
        let first = cells.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    };
    cells.get(name).or_else(nested).or_else(|| partitions.get(name))
}

/// ISO 639-3, as language detectors of crawls write it, beside ISO 639-1, which BCP 47 takes where there is one: all 183.
const LANGUAGES: &str = "\
    aar=aa abk=ab afr=af aka=ak amh=am ara=ar arg=an asm=as ava=av ave=ae aym=ay aze=az bak=ba bam=bm \
    bel=be ben=bn bis=bi bod=bo bos=bs bre=br bul=bg cat=ca ces=cs cha=ch che=ce chu=cu chv=cv cor=kw \
    cos=co cre=cr cym=cy dan=da deu=de div=dv dzo=dz ell=el eng=en epo=eo est=et eus=eu ewe=ee fao=fo \
    fas=fa fij=fj fin=fi fra=fr fry=fy ful=ff gla=gd gle=ga glg=gl glv=gv grn=gn guj=gu hat=ht hau=ha \
    heb=he her=hz hin=hi hmo=ho hrv=hr hun=hu hye=hy ibo=ig ido=io iii=ii iku=iu ile=ie ina=ia ind=id \
    ipk=ik isl=is ita=it jav=jv jpn=ja kal=kl kan=kn kas=ks kat=ka kau=kr kaz=kk khm=km kik=ki kin=rw \
    kir=ky kom=kv kon=kg kor=ko kua=kj kur=ku lao=lo lat=la lav=lv lim=li lin=ln lit=lt ltz=lb lub=lu \
    lug=lg mah=mh mal=ml mar=mr mkd=mk mlg=mg mlt=mt mon=mn mri=mi msa=ms mya=my nau=na nav=nv nbl=nr \
    nde=nd ndo=ng nep=ne nld=nl nno=nn nob=nb nor=no nya=ny oci=oc oji=oj ori=or orm=om oss=os pan=pa \
    pli=pi pol=pl por=pt pus=ps que=qu roh=rm ron=ro run=rn rus=ru sag=sg san=sa sin=si slk=sk slv=sl \
    sme=se smo=sm sna=sn snd=sd som=so sot=st spa=es sqi=sq srd=sc srp=sr ssw=ss sun=su swa=sw swe=sv \
    tah=ty tam=ta tat=tt tel=te tgk=tg tgl=tl tha=th tir=ti ton=to tsn=tn tso=ts tuk=tk tur=tr twi=tw \
    uig=ug ukr=uk urd=ur uzb=uz ven=ve vie=vi vol=vo wln=wa wol=wo xho=xh yid=yi yor=yo zha=za zho=zh \
    zul=zu";

/// The first language of a list, as BCP 47 writes it.
pub(in crate::datasets::import) fn first_language(languages: &str) -> String {
    let first = languages.split(',').next().unwrap_or(languages).trim();
    let mut pairs = LANGUAGES.split(' ').filter_map(|pair| pair.split_once('='));
    pairs.find(|(long, _)| *long == first).map_or(first, |(_, short)| short).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_crawls_are_tags() {
        let languages = ["zho,eng", "zh-Hant", "eng", "tlh", "swe", "zul", "aar"];
        assert_eq!(languages.map(first_language), ["zh", "zh-Hant", "en", "tlh", "sv", "zu", "aa"]);
        assert_eq!(LANGUAGES.split(' ').count(), 183);
    }
}
