/**
 * Pages of odd roles, names and hidden content, by what they are about: what Chromium's accessibility tree says of them is not
 * what stands in their text.
 */
export const ODD_PAGES: Readonly<Record<string, string>> = {
  plain: `<h1>plain</h1>
<ul><li>a<li><b>b</b><li><a href=#x>c</a> tail<li>  two <i>texts</i><li><button>d</button><li><strong>s</strong><li><em>e</em><li><code>co</code><li><u>u</u><li><small>sm</small><li><a href=#>l<br>m</a><li>br<br><li><li><a>noref</a><li><a href=#></a><li><button></button></ul><ol><li>one<li><a href=/y><b>bold</b></a></ol>`,
  styles: `<h1>styles</h1><style>.u{text-transform:uppercase}.s{-webkit-text-security:disc}.n{display:none}.v{visibility:hidden}.c{content-visibility:hidden}.b::before{content:"pre"}.a::after{content:attr(id)}.fl::first-letter{font-size:30px}.ct{display:contents}.bl{display:block}.fx{display:flex;flex-direction:row-reverse}.ls{list-style:none}.fs{font-size:0}.op{opacity:0}.vv{visibility:visible}.in{interactivity:inert}.sr{position:absolute;clip:rect(0 0 0 0);width:1px;height:1px;overflow:hidden}.pre{white-space:pre}.ab{position:absolute}.fl2{float:left}</style>
<ul><li class=u>upper<li class=s>secret<li class=n>none<li class=v>hidden <b class=vv>vis</b><li class=c>cv<li class=b>before<li class=a id=z>after<li class=fl>first<li class=ct>contents<li class=bl>block<li class=fx><b>1</b><b>2</b><li class=ls>ls<li class=fs>zero<li class=op>op<li class=in>inert<li class=sr>sr<li class=pre>a   b
c<li class=ab>abs<li class=fl2>float<li><b class=n>x</b>y<li><b class=v>x</b>y<li>a<b class=u>b</b><li><button class=u>up</button><li><a class=b href=#>x</a><li><a class="n" href=#>x</a></ul>`,
  aria: `<h1>aria</h1><table><tbody>
<tr><td aria-hidden=true>h<td>v</tr>
<tr aria-hidden=true><td>x<td>y</tr>
<tr><td><button aria-label=Other>x</button><td><button title=T>y</button></tr>
<tr><td role=presentation>p<td role=button>q</tr>
<tr><td><button disabled>dis</button><td><a href=# aria-current=page>cur</a></tr>
<tr hidden><td>hid<td>den</tr>
<tr inert><td>in<td>ert</tr>
<tr><td contenteditable>ce<td tabindex=0>ti</tr>
<tr tabindex=0><td>row<td>focus</tr>
<tr><td><b role=button>rb</b><td><button aria-pressed=true>pr</button></tr>
<tr><td><label>lab <button>lb</button></label><td><button id=lf>lf</button><label for=lf>for</label></tr>
<tr><td><input type=checkbox> <b>x</b><td><select><option>o</select></tr>
<tr><td title=tt>x<td id=own>owned?</tr>
<tr><td><b>a</b><b>b</b><td> <b> c </b> </tr>
<tr><td><td>&nbsp;</tr>
<tr><td><a href=#>a</a> <a href=#>b</a><td>x <button>y</button></tr>
<tr><td colspan=2>span</tr>
<tr><th>th<td>td</tr>
<tr><td><table>
<tr><td>inner<td>t</table><td>o</tr>
<tr><td>
<ul><li>in list</ul><td>x</tr></table>`,
  owns: `<h1>owns</h1><div aria-owns=o1></div>
<ul><li>x<li id=o1>moved<li>y<li>z</ul><table>
<tr><td>1<td>2</tr>
<tr><td>3<td>4</tr></table>`,
  "layout tables": `<h1>layout tables</h1><table>
<tr><td>nav<td>main</tr></table><table>
<tr><td>a<td>b</tr>
<tr><td>c<td>d</tr>
<tr><td>e<td>f</tr></table><table role=presentation>
<tr><td>a<td>b</tr>
<tr><td>c<td>d</tr></table><table role=grid>
<tr><td>a<td>b</tr>
<tr><td>c<td>d</tr></table><table border=1>
<tr><td>a<td>b</tr>
<tr><td>c<td>d</tr>
<tr><td>c<td>d</tr></table><table style=display:block>
<tr><td>a<td>b</tr>
<tr><td>c<td>d</tr></table>
<ul role=listbox><li>a<li>b<li>c<li>d</ul>
<ul role=none><li>a<li>b<li>c</ul><menu><li>a<li>b<li>c</menu><div><li>stray<li>stray2<li>s3</div>`,
  "layout tables 2": `<h1>layout tables</h1><table><tbody>
<tr><td>a<td>b</tr>
<tr><td>c<td>d</tr>
<tr><td>e<td>f</tr></table>`,
  bordered: `<h1>bordered</h1><table border=1><thead>
<tr><th>A<th>B</tr></thead><tbody>
<tr><td>a<td>b</tr>
<tr><td>c<td>d</tr>
<tr><td>c<td>d</tr></table><table style=display:block><thead>
<tr><th>A<th>B</tr></thead>
<tr><td>a<td>b</tr>
<tr><td>c<td>d</tr></table><table><thead>
<tr><th>A<th>B</tr></thead>
<tr style=display:flex><td>a<td>b</tr>
<tr><td style=display:block>c<td>d</tr></table>`,
  grid: `<h1>grid</h1><table role=grid><thead>
<tr><th>A<th>B</tr></thead>
<tr><td>a<td>b</tr>
<tr><td>c<td>d</tr></table>`,
  lists: `<h1>lists</h1>
<ul role=listbox><li>a<li>b<li>c<li>d</ul>
<ul role=none><li>a<li>b<li>c</ul><menu><li>a<li>b<li>c</menu><div><li>stray<li>stray2<li>s3</div>`,
  around: `<h1>around</h1><div aria-hidden=true>
<ul><li>a<li>b<li>c</ul></div><div inert>
<ul><li>a<li>b<li>c</ul></div><div hidden>
<ul><li>a<li>b<li>c</ul></div><details><summary>s</summary>
<ul><li>a<li>b<li>c</ul></details><div contenteditable>
<ul><li>a<li>b<li>c</ul></div><div role=button>
<ul><li>a<li>b<li>c</ul></div><fieldset disabled>
<ul><li><button>x</button><li>b<li>c</ul></fieldset><div style=content-visibility:auto;contain-intrinsic-size:5000px>
<ul><li>a<li>b<li>c</ul></div><div style="position:absolute;top:9000px;content-visibility:auto">
<ul><li>a<li>b<li>c</ul></div><div role=main>
<ul><li>m<li>b<li>c</ul></div><x-y>
<ul><li>m<li>b<li>c</ul></x-y><label>
<ul><li>lab<li>b<li>c</ul></label><a href=#><b>q</b><b>r</b><b>s</b><b>t</b></a><p><b>q</b><b>r</b><b>s</b> text <i>t</i></p>`,
  shadow: `<h1>shadow</h1><div id=h><b>light</b><b slot=s>slotted</b><b>c</b></div><p id=cl><b>x</b><b>y</b><b>z</b></p><script>h.attachShadow({mode:'open'}).innerHTML='<ul><li>in<li>shadow<li>three</ul><slot name=s></slot>';cl.attachShadow({mode:'closed'}).innerHTML='<slot></slot><button>closed</button>'</script>
<ul><li>a<li>b<li><button id=f>foc</button></ul><script>f.focus()</script><select><option>a<option>b<option>c</select><svg><a href=#><text>svg</text></a><a href=#><text>svg</text></a><a href=#><text>svg</text></a></svg>`,
  modal: `<h1>modal</h1>
<ul><li>a<li>b<li>c</ul><dialog id=d>
<ul><li>a<li>b<li>c</ul></dialog><script>d.showModal()</script>`,
  names: `<h1>names</h1><div><button>a</button><button>b c</button><a href=#>l</a><a href=x>l2</a><b>s</b>loose<button><b>in</b></button><button> <i></i>z</button><a href=#><img alt=pic></a><button>x<img alt=y></button><a href=# download>dl</a><button type=submit>su</button><button name=n value=v>val</button><code>c</code><strong>st</strong><em><a href=#>k</a></em><strong><em>se</em></strong></div>`,
  slots: `<h1>slots</h1><div id=h><b>a</b><b>b</b><b>c</b></div><script>h.attachShadow({mode:'closed'}).innerHTML='<div aria-hidden=true><slot></slot></div>'</script>`,
  wide: `<h1>wide</h1><table><thead>
<tr><th>a<th>b</tr></thead><tbody>
<tr><td>1<td>2<td>3<td>4</tr>
<tr><td>1<td>2<td>3<td>4</tr>
<tr><td><b>4</b><td>x<br>y</tr></table>`,
};
