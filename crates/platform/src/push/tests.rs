//! The example of RFC 8291, and what libraries that are not ours read of what is sealed and signed here.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use rstest::rstest;
use serde_json::{Value, json};

use super::seal::seal_with;
use super::{DeviceKeys, LONGEST_TEXT, PushError, VapidKey, seal};
use crate::domain::time::Timestamp;

/// RFC 8291, appendix A.
const POINT: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const PRIVATE: &str = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";
const SENDER: &str = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
const SHARED: &str = "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs";
const SALT: &str = "DGv6ra1nlYgDCS1FRnbzlw";
const TEXT: &str = "When I grow up, I want to be a watermelon";
const BODY: &str = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS\
                    6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4\
                    a-fN";

fn bytes<const N: usize>(text: &str) -> [u8; N] {
    URL_SAFE_NO_PAD.decode(text).unwrap().try_into().unwrap()
}

fn device() -> DeviceKeys {
    DeviceKeys::parse(POINT, AUTH).unwrap()
}

/// What the device reads of a body, by a library that is not ours.
fn opened(body: Vec<u8>, auth: &str) -> Option<Vec<u8>> {
    let private = p256::SecretKey::from_slice(&bytes::<32>(PRIVATE)).unwrap();
    web_push_native::decrypt(body, &private, &bytes::<16>(auth).into()).ok()
}

#[test]
fn the_example_of_the_rfc_comes_out_byte_by_byte() {
    let body = seal_with(&device(), TEXT.as_bytes(), &bytes::<32>(SHARED), bytes(SENDER), bytes(SALT)).unwrap();
    assert_eq!(URL_SAFE_NO_PAD.encode(body), BODY);
}

#[rstest]
#[case(0)]
#[case(1)]
#[case(300)]
#[case(LONGEST_TEXT)]
fn another_library_opens_what_is_sealed(#[case] length: usize) {
    let text = vec![b'x'; length];
    let body = seal(&device(), &text).unwrap();
    assert!(body.len() <= 4096, "{} bytes are more than every push service takes", body.len());
    assert_eq!(opened(body.clone(), AUTH), Some(text.clone()));
    assert_eq!(opened(body.clone(), SALT), None, "only with the secret of the device");
    let mut spoilt = body.clone();
    *spoilt.last_mut().unwrap() ^= 1;
    assert_eq!(opened(spoilt, AUTH), None, "nobody on the way changes it");
    assert_ne!(seal(&device(), &text).unwrap(), body, "each message has a key of its own");
}

#[test]
fn a_text_that_no_push_service_takes_is_refused() {
    assert_eq!(seal(&device(), &vec![b'x'; LONGEST_TEXT + 1]), Err(PushError::TooLong));
}

#[rstest]
#[case::nothing("", AUTH, PushError::DeviceKey)]
#[case::no_base64("§§§", AUTH, PushError::DeviceKey)]
#[case::too_short(AUTH, AUTH, PushError::DeviceKey)]
#[case::no_secret(POINT, "", PushError::DeviceSecret)]
#[case::long_secret(POINT, POINT, PushError::DeviceSecret)]
fn keys_that_are_none_are_refused(#[case] point: &str, #[case] auth: &str, #[case] why: PushError) {
    assert_eq!(DeviceKeys::parse(point, auth), Err(why));
}

#[rstest]
#[case::beside_the_curve(64, 1)]
#[case::compressed(0, 6)]
fn a_point_that_is_not_on_the_curve_is_refused(#[case] place: usize, #[case] flip: u8) {
    let mut point = bytes::<65>(POINT);
    point[place] ^= flip;
    assert_eq!(DeviceKeys::parse(&URL_SAFE_NO_PAD.encode(point), AUTH), Err(PushError::DeviceKey));
}

#[test]
fn the_padding_of_base64_is_allowed() {
    assert_eq!(DeviceKeys::parse(&format!("{POINT}="), &format!("{AUTH}==")), Ok(device()));
}

/// Checks a header as a push service does, and gives header and claims of the token.
fn verified(authorization: &str) -> [Value; 2] {
    let (token, key) = authorization.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let key = VerifyingKey::from_sec1_bytes(&URL_SAFE_NO_PAD.decode(key).unwrap()).unwrap();
    let signature = Signature::from_slice(&URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
    key.verify(signed.as_bytes(), &signature).unwrap();
    assert!(key.verify(format!("{signed}x").as_bytes(), &signature).is_err(), "the check can fail");
    let (header, claims) = signed.split_once('.').unwrap();
    [header, claims].map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap())
}

#[test]
fn another_library_verifies_who_sends() {
    let kept = VapidKey::draw().unwrap();
    let key = VapidKey::read(&kept, "https://hub.example".to_owned()).unwrap();
    let [header, claims] = verified(&key.authorization("https://push.example", Timestamp(1_000_500)).unwrap());
    assert_eq!(header, json!({ "typ": "JWT", "alg": "ES256" }));
    let expires = 1_000 + 12 * 3_600;
    assert_eq!(claims, json!({ "aud": "https://push.example", "exp": expires, "sub": "https://hub.example" }));
}

#[test]
fn a_kept_key_stays_the_same_and_is_not_shown() {
    let kept = VapidKey::draw().unwrap();
    let [one, again] = [0, 1].map(|_| VapidKey::read(&kept, String::new()).unwrap());
    assert_eq!(one.public(), again.public());
    assert_eq!(format!("{one:?}"), format!("VapidKey({})", one.public()));
    let point = p256::PublicKey::from_sec1_bytes(&URL_SAFE_NO_PAD.decode(one.public()).unwrap()).unwrap();
    assert_eq!(point.to_encoded_point(false).as_bytes().len(), 65, "as `applicationServerKey` wants it");
    assert_eq!(VapidKey::read(b"none", String::new()).unwrap_err(), PushError::HubKey);
}
