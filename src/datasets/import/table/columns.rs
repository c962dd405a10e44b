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
pub(super) struct Columns {
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

#[derive(Debug)]
struct Names {
    names: Vec<String>,
    /// Whether the user gave them: then one of them must be there.
    asked: bool,
}

/// What is wrong with a row: a code and a sentence.
type Fault = (Code, String);

impl Columns {
    /// The columns that `options` name, and the usual ones.
    pub(super) fn new(options: &Options) -> Result<Self, String> {
        let names = |field: &str, usual: &[&str]| {
            let option = format!("columns.{field}");
            let Some(given) = options.0.get(&option) else {
                return Ok(Names { names: usual.iter().map(|name| (*name).to_owned()).collect(), asked: false });
            };
            let names: Vec<String> = given.split(',').map(|name| name.trim().to_owned()).collect();
            if names.iter().any(String::is_empty) {
                return Err(format!("{option}: expected names of columns, with commas between"));
            }
            Ok(Names { names, asked: true })
        };
        let mut html = names("html", &["html", "raw_html", "html_content", "page_html"])?;
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
    fn all(&self) -> [(&'static str, &Names); 10] {
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
        for (_, names) in self.all().into_iter().filter(|(_, names)| names.asked) {
            let of_row = names.names.iter().filter(|name| find(cells, partitions, name).is_some());
            let new: Vec<&String> = of_row.filter(|name| !seen.contains(name)).collect();
            seen.extend(new.into_iter().cloned());
        }
    }

    /// A field whose column must be there, and that column, which is in no row.
    pub(super) fn never_seen(&self, seen: &[String]) -> Option<(&'static str, &str)> {
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
        let value = |names: &Names| {
            let found = names.names.iter().find_map(|name| Some((name.clone(), find(cells, partitions, name)?)));
            found.filter(|(_, value)| !value.is_null())
        };
        let text = |names: &Names| match value(names) {
            None => Ok(None),
            Some((_, Json::String(text))) => Ok(Some(text.clone())),
            Some((name, _)) => Err((Code::Upstream, format!("the column `{name}` holds no text"))),
        };
        let Some(html) = text(&self.html)? else { return Ok(None) };
        if html.len() as u64 > MAX_PAGE_BYTES {
            return Err((Code::Size, format!("the page has more than {MAX_PAGE_BYTES} bytes")));
        }
        let id = match value(&self.id) {
            Some((_, Json::Number(number))) => number.to_string(),
            _ => text(&self.id)?.filter(|id| !id.is_empty()).unwrap_or_else(|| name.to_owned()),
        };
        let filled = |names: &Names| Ok(text(names)?.filter(|text| !text.is_empty()));
        let (id, url) = (encode_id(&id), filled(&self.url)?);
        let site = filled(&self.site)?.unwrap_or_else(|| site_of(url.as_deref().and_then(host_of).as_deref(), &id));
        let mut details = Details { url, split: filled(&self.split)?, ..Details::default() };
        match value(&self.crawled) {
            Some((_, Json::String(date))) if is_date(date) => details.crawled = Some(date.clone()),
            Some((_, other)) => drop(details.other.insert("x-crawled".to_owned(), other.clone())),
            None => {}
        }
        let extra =
            self.extra.names.iter().filter_map(|name| Some((name.clone(), find(cells, partitions, name)?.clone())));
        let extra: Map<String, Json> = extra.collect();
        details.extra = (!extra.is_empty()).then(|| Box::new(Json::Object(extra)));
        Ok(Some(Record {
            html: HtmlSource::Object(Box::new(HtmlObject { text: Some(html), ..HtmlObject::default() })),
            gold: text(&self.gold)?.map(GoldSource::of_text),
            site: Some(site),
            language: filled(&self.language)?.map(|languages| first_language(&languages)),
            encoding: Some("utf-8".to_owned()),
            kind: filled(&self.kind)?,
            id,
            details: details.boxed(),
        }))
    }
}

/// The cell of that name: a column, what stands below one by dots, or a folder's.
fn find<'c>(cells: &'c Map<String, Json>, partitions: &'c Map<String, Json>, name: &str) -> Option<&'c Json> {
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
