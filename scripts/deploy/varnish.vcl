vcl 4.1;
# /etc/varnish/default.vcl: Cageside behind Varnish 7.1 or newer, which has no TLS: a TLS proxy is in
# front of it. The services have TRUST_PROXY=1.

import directors;
import std;

probe ready {
    .url = "/ready";
    .interval = 1s;
    .timeout = 2s;
    .window = 2;
    .threshold = 1;
    .initial = 1;
}
# One for each service or mirror. A file of /bulk is made within 10 s.
backend first {
    .host = "127.0.0.1";
    .port = "3000";
    .probe = ready;
    .connect_timeout = 1s;
    .first_byte_timeout = 15s;
    .between_bytes_timeout = 60s;
}
backend second {
    .host = "127.0.0.1";
    .port = "3001";
    .probe = ready;
    .connect_timeout = 1s;
    .first_byte_timeout = 15s;
    .between_bytes_timeout = 60s;
}
# Proxies that replace X-Forwarded-For by the address of the client.
acl tls_proxies {
    "127.0.0.1";
    "::1";
}

sub vcl_init {
    new services = directors.shard();
    services.add_backend(first);
    services.add_backend(second);
}

sub vcl_recv {
    set req.backend_hint = services.backend(resolve=LAZY);
    if (req.restarts == 0) {
        unset req.http.X-Cageside-Fresh;
        unset req.http.X-Cageside-Failed;
        # Varnish has appended the address of its peer.
        if (client.ip ~ tls_proxies) {
            set req.http.X-Forwarded-For = regsub(req.http.X-Forwarded-For, ",[^,]*$", "");
        } else {
            set req.http.X-Forwarded-For = client.ip;
        }
        # Replaces what the client sent, as TRUST_PROXY=1 expects.
        set req.http.X-Forwarded-Host = req.http.Host;
        if (client.ip !~ tls_proxies) {
            set req.http.X-Forwarded-Proto = "http";
        }
        # One stored variant for each content coding; q=0 refuses one.
        if (req.http.Accept-Encoding ~ "(?i)\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))") {
            set req.http.X-Cageside-Coding = "br";
        } else if (req.http.Accept-Encoding ~ "(?i)\bzstd\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))") {
            set req.http.X-Cageside-Coding = "zstd";
        } else if (req.http.Accept-Encoding ~ "(?i)\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))") {
            set req.http.X-Cageside-Coding = "gzip";
        } else {
            set req.http.X-Cageside-Coding = "identity";
        }
        # No response depends on them.
        unset req.http.Cookie;
        unset req.http.Authorization;
    }
    # Neither buffered nor compressed. A thread for each.
    if (req.url ~ "/changes/stream/?(\?|$)") {
        # The connection would be closed without an answer.
        if (!std.healthy(req.backend_hint)) {
            return (synth(503));
        }
        return (pipe);
    }
    # Long polls would wait for each other, files take the place of all else, and browsers get the JSON of
    # /usage instead of the page. Paths with encoded letters can be any of these.
    if (req.url ~ "/(changes/?|snapshot|bulk/[^?]+|usage/?)(\?|$)"
        || req.url ~ "(?i)^[^?]*%(4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])"
        || (req.method != "GET" && req.method != "HEAD")) {
        return (pass);
    }
    if (req.http.X-Cageside-Fresh) {
        set req.grace = 0s;
    } else {
        # A restart keeps it.
        set req.grace = 7d;
    }
    return (hash);
}

sub vcl_hash {
    hash_data(req.url);
    hash_data(req.http.X-Cageside-Coding);
    return (lookup);
}

# A stored response is sent past its lifetime while it is fetched again (stale-while-revalidate), and
# beyond that where no service answers (stale-if-error).
sub vcl_hit {
    if (obj.ttl + std.duration(obj.http.X-Cageside-Revalidate, 0s) > 0s
        || req.http.X-Cageside-Failed || !std.healthy(req.backend_hint)) {
        return (deliver);
    }
    set req.http.X-Cageside-Fresh = "1";
    return (restart);
}

# An address is always fetched from the same service, so that its versions do not alternate. A cursor of
# changes is known to one process alone: there, each client has a service.
sub vcl_pipe {
    set bereq.backend = services.backend(by=KEY, key=services.key(req.http.X-Forwarded-For));
    set bereq.http.Connection = "close";
    return (pipe);
}

sub vcl_backend_fetch {
    if (bereq.url ~ "/changes/?(\?|$)") {
        # Longer than the longest poll.
        set bereq.first_byte_timeout = 60s;
        set bereq.backend = services.backend(by=KEY, alt=bereq.retries,
            key=services.key(bereq.http.X-Forwarded-For));
    } else {
        set bereq.backend = services.backend(by=URL, alt=bereq.retries);
    }
    # A retry has the headers of the attempt before.
    if (bereq.retries == 0) {
        set bereq.http.Accept-Encoding = bereq.http.X-Cageside-Coding;
    }
    unset bereq.http.X-Cageside-Coding;
    unset bereq.http.X-Cageside-Fresh;
    unset bereq.http.X-Cageside-Failed;
    return (fetch);
}

sub vcl_backend_response {
    # A service that is starting, stopping or overloaded.
    if (beresp.status == 503 && bereq.retries < 1) {
        return (retry);
    }
    if (bereq.uncacheable) {
        return (deliver);
    }
    if (beresp.status >= 500) {
        if (bereq.is_bgfetch) {
            return (abandon);
        }
        set beresp.uncacheable = true;
        set beresp.ttl = 0s;
        return (deliver);
    }
    # A whole response is fetched before it is sent, so that one cut off can be asked for again.
    set beresp.do_stream = false;
    if (beresp.http.Cache-Control ~ "stale-while-revalidate=\d+") {
        set beresp.http.X-Cageside-Revalidate = regsub(beresp.http.Cache-Control,
            "^.*stale-while-revalidate=(\d+).*$", "\1s");
    }
    if (beresp.http.Cache-Control ~ "stale-if-error=\d+") {
        set beresp.grace = std.duration(regsub(beresp.http.Cache-Control,
            "^.*stale-if-error=(\d+).*$", "\1s"), 0s);
    }
}

sub vcl_backend_error {
    if (bereq.retries < 3) {
        return (retry);
    }
    set beresp.status = 503;
    set beresp.http.Cache-Control = "no-store";
    set beresp.http.Retry-After = "2";
    # Browsers, which begin Accept like this for a page, get one that reloads itself by the script of the
    # service's own (src/companions/pages/browser/retry.ts). An overlay shows nothing over the film.
    if (bereq.http.Accept ~ "(?i)^text/html\s*(,|$)") {
        set beresp.http.Content-Type = "text/html; charset=utf-8";
        set beresp.http.Content-Security-Policy = "default-src 'none'; style-src 'sha256-8rbVfnXNesMcHvhA1i8/pCfqpg91MrxKA6vAvS0lDfM='; script-src 'sha256-GcbhrQMf7BVDSkUPVdE1EadupH+nwKE0ZoQOEbYj3aY='; connect-src 'self'; base-uri 'none'; form-action 'none'";
        set beresp.body = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>One moment</title>
<style>body{max-width:30rem;margin:20vh auto;padding:0 1rem;font:1.125rem/1.5 system-ui,sans-serif}</style>
<noscript><meta http-equiv="refresh" content="5"></noscript>
""";
        if (bereq.url !~ "^[^?]*/overlay/[^/?]") {
            set beresp.body += """<meta name="color-scheme" content="light dark">
<h1>One moment</h1><p>There is no answer at the moment. This page tries again by itself.</p>
""";
        }
        set beresp.body += """<script>(()=>{var a=(e)=>{let n=e*1000*(1+Math.random());setTimeout(async()=>{let o=new AbortController;setTimeout(()=>o.abort(),8000);let t=await fetch(location.href,{method:"HEAD",cache:"no-store",headers:{accept:"text/html"},signal:o.signal}).catch(()=>{return});if(t&&t.status!==429&&t.status<502){location.reload();return}let s=Number(t?.headers.get("retry-after"))||0;a(Math.max(Math.min(s,60),Math.min(2*e,8)))},n)};a(2);})();</script>""";
    } else {
        set beresp.http.Content-Type = "application/json";
        set beresp.http.Access-Control-Allow-Origin = "*";
        set beresp.body = """{"error":"the service is unreachable"}""";
    }
    set beresp.uncacheable = true;
    set beresp.ttl = 0s;
    return (deliver);
}

# Errors of Varnish itself, without a fetch.
sub vcl_synth {
    set resp.http.Content-Type = "application/json";
    set resp.http.Access-Control-Allow-Origin = "*";
    set resp.http.Cache-Control = "no-store";
    if (resp.status == 503) {
        set resp.http.Retry-After = "2";
        set resp.body = """{"error":"the service is unreachable"}""";
    } else {
        set resp.body = """{"error":"the request is malformed or too long"}""";
    }
    return (deliver);
}

sub vcl_deliver {
    if (resp.status >= 500 && req.http.X-Cageside-Fresh && !req.http.X-Cageside-Failed) {
        unset req.http.X-Cageside-Fresh;
        set req.http.X-Cageside-Failed = "1";
        return (restart);
    }
    # RFC 9211; a negative ttl is a response past its lifetime.
    if (obj.uncacheable) {
        set resp.http.Cache-Status = "Varnish; fwd=bypass";
    } else if (obj.hits > 0) {
        set resp.http.Cache-Status = "Varnish; hit; ttl=" + regsub(obj.ttl, "\..*$", "");
    } else {
        set resp.http.Cache-Status = "Varnish; fwd=miss";
    }
    unset resp.http.X-Cageside-Revalidate;
    unset resp.http.X-Varnish;
    unset resp.http.Via;
}
