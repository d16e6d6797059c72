/* How reports look, and the script that sorts and filters the table of a batch.  Lines of text, to
 * the NULL at the end. */
#include "report.h"

const char *const as_report_style[] = {
    ":root{--bg:#fff;--fg:#0f172a;--soft:#475569;--line:#e2e8f0;--card:#f8fafc;--good:#15803d;--"
    "bad:#b91c1c;--open:#a16207;--accent:#1d4ed8;\n",
    "--box:#fff;--edge:#64748b;--in:#dbeafe;--load:#dcfce7;--acc:#fef3c7;--store:#fee2e2;--out:#"
    "ede9fe;color-scheme:light}\n",
    "@media "
    "(prefers-color-scheme:dark){:root{--bg:#0b1220;--fg:#e2e8f0;--soft:#94a3b8;--line:#263449;--"
    "card:#111c2f;--good:#4ade80;",
    "--bad:#f87171;--open:#facc15;--accent:#93c5fd;\n",
    "--box:#16233a;--edge:#94a3b8;--in:#1e3a5f;--load:#14432a;--acc:#4a3a0c;--store:#55201f;--out:#"
    "3b2a66;color-scheme:dark}}\n",
    "*{box-sizing:border-box}\n",
    "html{-webkit-text-size-adjust:100%}\n",
    "body{font:16px/1.55 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica "
    "Neue\",Arial,sans-serif;margin:0 auto;max-width:76rem;",
    "padding:0 1.25rem 3rem;color:var(--fg);background:var(--bg)}\n",
    "header{padding:1.5rem 0 1rem;border-bottom:1px solid var(--line);margin-bottom:1.25rem}\n",
    ".brand{margin:0;font-size:.8rem;letter-spacing:.12em;text-transform:uppercase;color:var(--"
    "soft)}\n",
    "h1{font-size:1.75rem;line-height:1.25;margin:.15rem 0 0;overflow-wrap:anywhere}\n",
    "h2{font-size:1.15rem;margin:2rem 0 .6rem}\n",
    "h3{font-size:1rem;margin:1.4rem 0 .4rem}\n",
    "h4{font-size:.95rem;margin:1.1rem 0 .3rem}\n",
    "p{margin:.4rem 0}\n",
    ".about{color:var(--soft);overflow-wrap:anywhere}\n",
    ".quiet,.more,footer{color:var(--soft);font-size:.875rem}\n",
    ".key{padding:0 .35rem;border:1px solid var(--edge);border-radius:.25rem;color:var(--fg)}\n",
    ".key.in{background:var(--in)}.key.load{background:var(--load)}.key.acc{background:var(--acc)}",
    ".key.store{background:var(--store)}.key.out{background:var(--out)}\n",
    "footer{border-top:1px solid var(--line);margin-top:2.5rem;padding-top:.75rem}\n",
    "code,pre,.values td,.differ "
    "td{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans "
    "Mono\",monospace;font-size:.875em}\n",
    "pre{overflow-x:auto;background:var(--card);border:1px solid "
    "var(--line);border-radius:.5rem;padding:.75rem;margin:.5rem 0;line-height:1.45}\n",
    "pre{white-space:pre-wrap;overflow-wrap:anywhere}\n",
    ".badge{display:inline-block;vertical-align:middle;font-size:.8rem;font-weight:600;letter-"
    "spacing:.03em;line-height:1.3;",
    "padding:.15rem .6rem;border-radius:1rem;border:1px solid;white-space:nowrap}\n",
    "h1 .badge{font-size:.875rem;margin-left:.35rem}\n",
    ".badge.good,tr.good th:before{color:var(--good)}\n",
    ".badge.bad,tr.bad th:before,td.bad{color:var(--bad)}\n",
    ".badge.open,tr.open th:before{color:var(--open)}\n",
    ".reason{border-left:3px solid "
    "var(--line);padding-left:.75rem;overflow-wrap:anywhere;white-space:pre-line}\n",
    ".theorem{border:1px solid "
    "var(--line);border-radius:.5rem;background:var(--card);padding:.6rem 1rem}\n",
    ".relations{list-style:none;display:flex;flex-wrap:wrap;gap:.4rem;padding:0;margin:.3rem 0}\n",
    ".relations li{border:1px solid "
    "var(--line);border-radius:.35rem;background:var(--bg);padding:.05rem .5rem;max-width:100%;",
    "overflow-wrap:anywhere}\n",
    ".tag{color:var(--soft);font-size:.8rem}\n",
    "table{border-collapse:collapse}\n",
    ".facts{width:100%}\n",
    ".facts th{text-align:left;font-weight:600;vertical-align:top;padding:.35rem 1rem .35rem "
    "0;white-space:nowrap;width:1%}\n",
    ".facts td{padding:.35rem 0;overflow-wrap:anywhere;white-space:pre-line}\n",
    ".facts tr+tr{border-top:1px solid var(--line)}\n",
    ".facts "
    "th:before{display:inline-block;width:1.4em;font-weight:700;content:\"\\2013\";color:var(--"
    "soft)}\n",
    ".facts tr.good th:before{content:\"\\2713\"}\n",
    ".facts tr.bad th:before{content:\"\\2717\"}\n",
    ".facts tr.open th:before{content:\"?\"}\n",
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:0 "
    "1.5rem;align-items:start}\n",
    ".half{min-width:0}\n",
    ".draw{overflow:auto;border:1px solid "
    "var(--line);border-radius:.5rem;padding:.5rem;text-align:center}\n",
    ".draw svg{max-width:100%;height:auto;vertical-align:top}\n",
    ".draw text{fill:var(--fg);font-family:Helvetica,Arial,\"Liberation Sans\",sans-serif}\n",
    ".draw .node path,.draw .node polygon{fill:var(--box);stroke:var(--edge)}\n",
    ".draw .edge path{stroke:var(--edge)}\n",
    ".draw .edge polygon{fill:var(--edge);stroke:var(--edge)}\n",
    ".draw .cluster path{fill:none;stroke:var(--edge);stroke-dasharray:4 3}\n",
    ".draw .input path{fill:var(--in)}.draw .load path{fill:var(--load)}.draw .acc "
    "path{fill:var(--acc)}.draw .store path{fill:var(--store)}",
    ".draw .output path{stroke-width:2}\n",
    "summary{cursor:pointer;padding:.15rem 0}\n",
    "details summary:hover{color:var(--accent)}\n",
    "details>pre{margin-top:.25rem}\n",
    ".hash{color:var(--soft);font-family:ui-monospace,monospace;font-size:.8rem;overflow-wrap:"
    "anywhere}\n",
    ".cex{border:1px solid var(--line);border-left:3px solid "
    "var(--bad);border-radius:.5rem;padding:.5rem 1rem .75rem}\n",
    ".tensors{display:flex;flex-wrap:wrap;gap:.75rem 1.5rem;margin:.5rem 0}\n",
    "figure{margin:0;max-width:100%;overflow-x:auto}\n",
    "figcaption{margin-bottom:.2rem}\n",
    ".dim,.none,.values th{color:var(--soft);font-weight:400;font-size:.8rem}\n",
    ".values td{border:1px solid var(--line);padding:.15rem "
    ".5rem;text-align:right;white-space:nowrap;background:var(--bg)}\n",
    ".values th{padding-right:.5rem;text-align:right;white-space:nowrap}\n",
    ".differ th{font-size:.875rem;font-weight:600;text-align:left;padding:.2rem 1.5rem .2rem 0}\n",
    ".differ th code{white-space:nowrap}\n",
    ".differ td{padding:.2rem 1.5rem .2rem 0;overflow-wrap:anywhere}\n",
    ".tally{display:flex;flex-wrap:wrap;gap:.5rem}\n",
    ".tally button{font:inherit;color:inherit;background:var(--card);border:1px solid "
    "var(--line);border-radius:.5rem;padding:.35rem .9rem;",
    "cursor:pointer}\n",
    ".tally button b{font-size:1.15rem}\n",
    ".tally .good b{color:var(--good)}.tally .bad b{color:var(--bad)}.tally .open "
    "b{color:var(--open)}\n",
    ".tally button[aria-pressed=true]{border-color:var(--accent);box-shadow:inset 0 0 0 1px "
    "var(--accent)}\n",
    ".find input{font:inherit;width:100%;max-width:26rem;padding:.4rem .7rem;border:1px solid "
    "var(--line);border-radius:.5rem;",
    "background:var(--bg);color:inherit}\n",
    ".items{width:100%;table-layout:auto}\n",
    ".items thead "
    "th{text-align:left;font-size:.85rem;color:var(--soft);font-weight:600;padding:.4rem .9rem "
    ".4rem 0;",
    "border-bottom:1px solid var(--line)}\n",
    ".js .items thead th[data-k]{cursor:pointer}\n",
    ".items thead th[aria-sort=ascending]:after{content:\" \\2191\"}\n",
    ".items thead th[aria-sort=descending]:after{content:\" \\2193\"}\n",
    ".items>tbody>.row>td{padding:.4rem .9rem .4rem 0;vertical-align:top}\n",
    ".items>tbody{border-bottom:1px solid var(--line)}\n",
    ".items td.n{color:var(--soft)}\n",
    ".items td.name "
    "button{all:unset;cursor:pointer;color:var(--accent);font-weight:500;overflow-wrap:anywhere}\n",
    ".items td.name button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}\n",
    ".items .num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n",
    ".items td.note{color:var(--soft);font-size:.875rem;overflow-wrap:anywhere;min-width:14rem}\n",
    ".items td.name{min-width:8rem}.items "
    "td.group{min-width:7rem;color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}\n",
    ".js .row{cursor:pointer}\n",
    ".js .row:hover td{background:var(--card)}\n",
    ".js tbody:not(.opened) .detail{display:none}\n",
    ".detail>td{padding:.25rem 0 1.5rem 1rem;border-left:3px solid "
    "var(--line);max-width:0;width:100%}\n",
    ".ref{text-decoration:none;border:1px solid var(--line);border-radius:.35rem;padding:.05rem "
    ".4rem;color:var(--accent);display:inline-block;",
    "margin:.1rem 0}\n",
    ".proof{padding-left:0;list-style:none;margin:.25rem 0}\n",
    ".proof li{padding:.25rem 0 .25rem 3rem;position:relative}\n",
    ".proof li .k{position:absolute;left:0;color:var(--soft);font-size:.85rem;padding-top:.1rem}\n",
    ".proof li code{display:block;white-space:pre-wrap;overflow-wrap:anywhere}\n",
    ".proof .by{color:var(--soft);font-size:.875rem}\n",
    "@media (max-width:640px){\n",
    "body{padding:0 .9rem 2rem}\n",
    "h1{font-size:1.4rem}\n",
    ".facts th,.facts td{display:block;width:auto}.facts "
    "th{padding-bottom:0;white-space:normal}.facts td{padding-left:1.4em;padding-top:0}\n",
    ".items thead{display:block}.items thead tr{display:flex;flex-wrap:wrap;gap:0 .9rem}.items "
    "thead th{border:0;padding:.2rem 0}",
    ".items thead th.note{display:none}\n",
    ".items,.items>tbody{display:block}\n",
    ".items .row{display:grid;grid-template-columns:2.2rem 1fr auto;gap:.1rem .5rem;padding:.5rem "
    "0}\n",
    ".items>tbody>.row>td{padding:0;min-width:0!important}.items .row td.num{display:none}\n",
    ".items .row td.verdict{grid-column:3;grid-row:1}\n",
    ".items .row td.name{grid-column:2;grid-row:1}\n",
    ".items .row td.note,.items .row td.group{grid-column:2/4}\n",
    ".js .row:hover td{background:none}\n",
    ".detail,.detail>td{display:block;max-width:none}\n",
    ".detail>td{padding-left:.6rem}\n",
    ".proof li{padding-left:0}.proof li .k{position:static;margin-right:.4rem}\n",
    "}\n",
    "@media print{.tally,.find,footer{display:none}}\n",
    NULL};

const char *const as_report_script[] = {
    "(function () {\n",
    "  var d = document, table = d.querySelector(\"table.items\"), find = "
    "d.getElementById(\"find\"), verdict = \"\";\n",
    "  if (!table) return;\n",
    "  d.documentElement.className += \" js\";\n",
    "  var bodies = Array.prototype.slice.call(table.tBodies);\n",
    "  function words(b) { return b.rows[0].textContent.toLowerCase(); }\n",
    "  function show() {\n",
    "    var w = find.value.toLowerCase();\n",
    "    bodies.forEach(function (b) { b.hidden = !((verdict === \"\" || b.dataset.v === verdict) "
    "&& words(b).indexOf(w) !== -1); });\n",
    "  }\n",
    "  function toggle(b, on) {\n",
    "    b.classList.toggle(\"opened\", on);\n",
    "    b.querySelector(\"button\").setAttribute(\"aria-expanded\", "
    "b.classList.contains(\"opened\"));\n",
    "  }\n",
    "  bodies.forEach(function (b) { b.rows[0].addEventListener(\"click\", function () { "
    "toggle(b); }); });\n",
    "  find.addEventListener(\"input\", show);\n",
    "  var picks = Array.prototype.slice.call(d.querySelectorAll(\".tally button\"));\n",
    "  picks.forEach(function (p) {\n",
    "    p.addEventListener(\"click\", function () {\n",
    "      verdict = p.dataset.v;\n",
    "      picks.forEach(function (o) { o.setAttribute(\"aria-pressed\", o === p); });\n",
    "      show();\n",
    "    });\n",
    "  });\n",
    "  Array.prototype.forEach.call(table.tHead.rows[0].cells, function (h, i) {\n",
    "    if (!h.dataset.k) return;\n",
    "    h.addEventListener(\"click\", function () {\n",
    "      var up = h.getAttribute(\"aria-sort\") !== \"ascending\", num = h.dataset.k === "
    "\"num\";\n",
    "      Array.prototype.forEach.call(table.tHead.rows[0].cells, function (o) { "
    "o.removeAttribute(\"aria-sort\"); });\n",
    "      h.setAttribute(\"aria-sort\", up ? \"ascending\" : \"descending\");\n",
    "      bodies.sort(function (a, b) {\n",
    "        var x = a.rows[0].cells[i].textContent, y = b.rows[0].cells[i].textContent,",
    " c = num ? (parseFloat(x) || 0) - (parseFloat(y) || 0) : x.localeCompare(y);\n",
    "        return up ? c : -c;\n",
    "      });\n",
    "      bodies.forEach(function (b) { table.appendChild(b); });\n",
    "    });\n",
    "  });\n",
    "  function jump() {\n",
    "    var row = location.hash.length > 1 ? d.getElementById(location.hash.slice(1)) : null;\n",
    "    if (row) Array.prototype.forEach.call(row.querySelectorAll(\"details\"), function (x) { "
    "x.open = true; });\n",
    "    if (row && row.className === \"row\") toggle(row.parentNode, true);\n",
    "  }\n",
    "  window.addEventListener(\"hashchange\", jump);\n",
    "  jump();\n",
    "})();\n",
    NULL};
