# A window of Tk, in two fonts and colours of its own. Reads what it shows as a Tcl list: title, note, pairs of a label and a
# value, items, buttons; for each line on stdin prints, as JSON, its words: text, box on the screen, whether the box is the word's.
set content [open [lindex $argv 0] r]
fconfigure $content -encoding utf-8
lassign [read $content] title note pairs items buttons
close $content
set back "#20402f"
set fore "#f3e9d2"
set label {Lato 11}
. configure -background $back
option add *background $back
option add *foreground $fore
option add *highlightThickness 0
pack [label .title -text $title -font {Lato 17 bold}] -anchor w -padx 14 -pady 8
pack [frame .pairs] -anchor w -padx 14
set row 0
foreach pair $pairs {
  grid [label .pairs.l$row -text [lindex $pair 0] -font $label] -row $row -column 0 -sticky w -padx 6 -pady 3
  grid [entry .pairs.e$row -font $label -width 42 -background "#16301f" -insertontime 0] -row $row -column 1
  .pairs.e$row insert 0 [lindex $pair 1]
  incr row
}
pack [listbox .items -font $label -width 60 -height [llength $items]] -anchor w -padx 14 -pady 8
foreach item $items { .items insert end $item }
pack [text .note -font {{Nimbus Roman} 13} -width 90 -height 9 -wrap word -insertontime 0] -anchor w -padx 14
.note insert 1.0 $note
pack [frame .buttons] -anchor w -padx 14 -pady 8
set at 0
foreach text $buttons { pack [button .buttons.b$at -text $text -font $label] -side left -padx 6; incr at }

proc told {window text x y width height exact} {
  set left [expr {[winfo rootx $window] + $x}]
  set top [expr {[winfo rooty $window] + $y}]
  set plain [string map {\\ \\\\ \" \\\"} $text]
  return "{\"text\":\"$plain\",\"box\":\[$left,$top,$width,$height],\"isExact\":$exact}"
}

# The words of a text whose letters say themselves where they are; `place`: an index of the window for a number of a letter.
proc lettered {window text place} {
  set found {}
  foreach span [regexp -all -inline -indices {\S+} $text] {
    lassign $span from to
    set first [$window bbox [apply $place $from]]
    set last [$window bbox [apply $place $to]]
    if {$first eq "" || $last eq "" || [lindex $first 1] != [lindex $last 1]} continue
    lassign $first x y width height
    lappend found [told $window [string range $text $from $to] $x $y [expr {[lindex $last 0] + [lindex $last 2] - $x}] $height true]
  }
  return $found
}

proc words {} {
  set found {}
  foreach window [concat .title [winfo children .pairs] [winfo children .buttons]] {
    if {[winfo class $window] eq "Entry"} {
      lappend found {*}[lettered $window [$window get] {at {return $at}}]
    } else {
      foreach word [regexp -all -inline {\S+} [$window cget -text]] {
        lappend found [told $window $word 0 0 [winfo width $window] [winfo height $window] false]
      }
    }
  }
  for {set at 0} {$at < [.items size]} {incr at} {
    foreach word [regexp -all -inline {\S+} [.items get $at]] {
      lappend found [told .items $word {*}[.items bbox $at] false]
    }
  }
  return [concat $found [lettered .note [.note get 1.0 end-1c] {at {return "1.0 + $at chars"}}]]
}

fileevent stdin readable {
  if {[gets stdin] eq "" && [eof stdin]} exit
  update
  puts "\[[join [words] ,]]"
  flush stdout
}
