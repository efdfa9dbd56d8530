/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/scenario.h"

#include <string.h>

/* Paths that many share: fast enough, long enough, a queue that holds a round trip. */
#define METRO "rate=100mbit delay=5ms queue=256k"
#define CONTINENT "rate=100mbit delay=20ms queue=512k"

const struct tw_scenario tw_scenarios[] = {
	/* Small messages. */
	{
		.name = "nagle-delayed-ack",
		.title = "requests written in two pieces wait 40 ms for an ACK",
		.story = "The client writes each request in two small pieces: Nagle's rule holds the second "
			 "until the first is acknowledged. The server, with nothing to answer yet, delays "
			 "that acknowledgement by 40 ms.",
		.path = METRO,
		.traffic = "pattern=request count=40 request=200 request-writes=2 reply=1000 cc=cubic",
		.cause = "nagle-delayed-ack", .side = TW_SIDE_CLIENT,
		.cure = "set TCP_NODELAY on the client, or write a request at once",
		.cure_path = "", .cure_traffic = "client.nodelay=yes",
	},
	{
		.name = "page-server",
		.title = "a page server whose deputy sets TCP_NODELAY and whose remote does not",
		.story = "A process was moved, and fetches its pages from where it came from: a header and "
			 "then the page, written apart. The deputy that asks set TCP_NODELAY, the remote that "
			 "answers did not, so each page waits for the deputy's delayed ACK of the header.",
		.path = METRO,
		.traffic = "pattern=request count=40 request=64 reply=1032 reply-writes=2 client.nodelay=yes "
			   "cc=cubic",
		.cause = "nagle-delayed-ack", .side = TW_SIDE_SERVER,
		.cure = "set TCP_NODELAY on the remote as well",
		.cure_path = "", .cure_traffic = "server.nodelay=yes",
	},
	{
		.name = "chatty",
		.title = "one small message per round trip",
		.story = "The client asks, waits for the answer, and asks again, 60 times. Hosts are quick and "
			 "the pipe is empty: each turn costs the path's round trip.",
		.path = "rate=100mbit delay=20ms",
		.traffic = "pattern=request count=60 request=100 reply=400 client.nodelay=yes server.nodelay=yes "
			   "cc=cubic",
		.cause = "round-trip", .side = TW_SIDE_ANY,
		.cure = "ask from nearby (here: a path of 1 ms)",
		.cure_path = "delay=1ms", .cure_traffic = "",
	},
	{
		.name = "nagle",
		.title = "requests written in two pieces wait a round trip",
		.story = "The client writes each request in two small pieces, and the server "
			 "acknowledges the first at once. So Nagle's rule holds the second for "
			 "one round trip of 40 ms, and each request takes two.",
		.path = CONTINENT,
		.traffic = "pattern=request count=25 request=200 request-writes=2 reply=100 "
			   "server.quickack=yes cc=cubic",
		.cause = "nagle", .side = TW_SIDE_CLIENT, .share = 0.3,
		.cure = "set TCP_NODELAY on the client, or write a request at once",
		.cure_path = "", .cure_traffic = "client.nodelay=yes",
	},
	{
		.name = "slow-server",
		.title = "a server that thinks before it answers",
		.story = "Each request makes the server's program think for 50 ms. Network and buffers do "
			 "nothing wrong.",
		.path = METRO,
		.traffic = "pattern=request count=20 request=100 reply=2000 think=50ms nodelay=yes cc=cubic",
		.cause = "sender-app", .side = TW_SIDE_SERVER,
		.cure = "make the server's program answer at once",
		.cure_path = "", .cure_traffic = "think=none",
	},
	{
		.name = "idle-client",
		.title = "a client that thinks between its requests",
		.story = "The client's program waits for 100 ms after each answer before it asks again. All the rest "
			 "is quick.",
		.path = METRO,
		.traffic = "pattern=request count=10 request=100 reply=2000 gap=100ms nodelay=yes cc=cubic",
		.cause = "sender-app", .side = TW_SIDE_CLIENT,
		.cure = "ask without a pause, or for more at a time",
		.cure_path = "", .cure_traffic = "gap=none",
	},
	/* Windows and buffers. */
	{
		.name = "receive-buffer",
		.title = "a receive buffer far smaller than the path",
		.story = "The receiver sets SO_RCVBUF to 16 kB on a path that holds 500 kB. The sender fills "
			 "that window in an instant and then waits a round trip for the next.",
		.path = CONTINENT,
		.traffic = "pattern=bulk dir=up bytes=2m server.rcvbuf=16k cc=cubic",
		.cause = "receive-window", .side = TW_SIDE_CLIENT,
		.cure = "leave SO_RCVBUF unset, so that the kernel grows it",
		.cure_path = "", .cure_traffic = "server.rcvbuf=none",
	},
	{
		.name = "rmem-limit",
		.title = "a host whose tcp_rmem keeps every receive buffer small",
		.story = "The receiver's kernel has been given a tcp_rmem of at most 64 kB, once "
			 "meant to save memory. Its program asks for nothing, and cannot: the "
			 "window never covers the path.",
		.path = CONTINENT,
		.traffic = "pattern=bulk dir=up bytes=2m server.rmem=4k:32k:64k cc=cubic",
		.cause = "receive-window", .side = TW_SIDE_CLIENT,
		.cure = "raise the last number of net.ipv4.tcp_rmem on the receiver",
		.cure_path = "", .cure_traffic = "server.rmem=none",
	},
	{
		.name = "slow-download",
		.title = "a download into a receive buffer that is too small",
		.story = "The client asks for 3 MB and has set SO_RCVBUF to 24 kB. The server fills that window in an "
			 "instant and then waits a round trip for the next.",
		.path = CONTINENT,
		.traffic = "pattern=pull request=100 bytes=3m client.rcvbuf=24k cc=cubic",
		.cause = "receive-window", .side = TW_SIDE_SERVER,
		.cure = "leave SO_RCVBUF unset on the client",
		.cure_path = "", .cure_traffic = "client.rcvbuf=none",
	},
	{
		.name = "send-buffer",
		.title = "a send buffer far smaller than the path",
		.story = "The sender sets SO_SNDBUF to 16 kB on a path that holds 500 kB. What is in flight "
			 "stays in the send buffer until it is acknowledged, so the program cannot write more.",
		.path = CONTINENT,
		.traffic = "pattern=bulk dir=up bytes=2m client.sndbuf=16k cc=bbr",
		.cause = "send-buffer", .side = TW_SIDE_CLIENT,
		.cure = "leave SO_SNDBUF unset",
		.cure_path = "", .cure_traffic = "client.sndbuf=none",
	},
	{
		.name = "download-send-buffer",
		.title = "a server whose send buffer is far smaller than the path",
		.story = "The client asks for 2 MB, and the server's program has set SO_SNDBUF "
			 "to 16 kB. It can write more only when what is in flight has been "
			 "acknowledged.",
		.path = CONTINENT,
		.traffic = "pattern=pull request=100 bytes=2m server.sndbuf=16k cc=bbr",
		.cause = "send-buffer", .side = TW_SIDE_SERVER,
		.cure = "leave SO_SNDBUF unset on the server",
		.cure_path = "", .cure_traffic = "server.sndbuf=none",
	},
	{
		.name = "window-scale-stripped",
		.title = "a firewall that strips the window scale",
		.story = "A middlebox overwrites the window scale in the SYNs, so no window can be larger than "
			 "64 kB. On a path that holds 500 kB the sender waits for most of each round trip.",
		.path = CONTINENT " strip=wscale",
		.traffic = "pattern=bulk dir=up bytes=8m cc=cubic",
		.cause = "receive-window", .side = TW_SIDE_CLIENT,
		.cure = "let the option pass",
		.cure_path = "strip=none", .cure_traffic = "",
	},
	/* Programs. */
	{
		.name = "slow-reader",
		.title = "a receiving program that does not read fast enough",
		.story = "The receiver's program reads 64 kB every 20 ms, a quarter of what the path carries. "
			 "Its window closes, and opens as it reads.",
		.path = METRO,
		.traffic = "pattern=bulk dir=up bytes=6m server.rcvbuf=128k server.read=64k server.read-pause=20ms "
			   "cc=cubic",
		.cause = "receiver-app", .side = TW_SIDE_CLIENT,
		.cure = "read as fast as data comes",
		.cure_path = "", .cure_traffic = "server.read-pause=none",
	},
	{
		.name = "slow-processor",
		.title = "a receiving program that computes longer than the network takes",
		.story = "The receiver's program works for 4 ms on each 16 kB that it reads. Its buffer fills, and the "
			 "window that is left shrinks to what it reads meanwhile.",
		.path = METRO,
		.traffic = "pattern=bulk dir=up bytes=5m server.rcvbuf=128k server.read=16k server.work=4ms cc=cubic",
		.cause = "receiver-app", .side = TW_SIDE_CLIENT,
		.cure = "make the program faster, or read in another thread",
		.cure_path = "", .cure_traffic = "server.work=none",
	},
	{
		.name = "slow-twin",
		.title = "of two twins the one that is slow at receiving",
		.story = "Two receivers, twins by their papers. This one works for 4 ms on each "
			 "16 kB that it reads, and its kernel lets the buffer grow meanwhile; "
			 "the other one reads at once.",
		.path = METRO,
		.traffic = "pattern=bulk dir=up bytes=4m server.read=16k server.work=4ms cc=cubic",
		.cause = "receiver-app", .side = TW_SIDE_CLIENT,
		.cure = "send to the other twin, and look for what this one does besides",
		.cure_path = "", .cure_traffic = "server.work=none",
	},
	{
		.name = "reader-stalls",
		.title = "a receiving program that stops reading for a second",
		.story = "After 2 MB the receiver's program does something else for a second, and the window "
			 "shuts. The sender can only probe until it opens again.",
		.path = METRO,
		.traffic = "pattern=bulk dir=up bytes=6m server.rcvbuf=256k server.stall-after=2m server.stall-for=1s "
			   "cc=cubic",
		.cause = "receiver-app", .side = TW_SIDE_CLIENT,
		.cure = "read without a pause",
		.cure_path = "", .cure_traffic = "server.stall-for=none",
	},
	{
		.name = "sender-runs-dry",
		.title = "a sender that runs dry while the pipe and both processors idle",
		.story = "The sending program writes 32 kB every 10 ms, a quarter of what the path carries. "
			 "Nothing limits it but itself.",
		.path = METRO,
		.traffic = "pattern=bulk dir=up bytes=4m client.write=32k client.pause=10ms cc=cubic",
		.cause = "sender-app", .side = TW_SIDE_CLIENT,
		.cure = "write as fast as the socket takes it",
		.cure_path = "", .cure_traffic = "client.pause=none",
	},
	{
		.name = "slow-cpu-sender",
		.title = "a sending program that computes longer than the network takes",
		.story = "The sending program works for 15 ms on each 64 kB before it writes "
			 "them: a processor that encrypts or compresses. The path could carry "
			 "three times as much.",
		.path = METRO,
		.traffic = "pattern=bulk dir=up bytes=5m client.write=64k client.work=15ms "
			   "cc=cubic",
		.cause = "sender-app", .side = TW_SIDE_CLIENT,
		.cure = "make the program faster, or compute in another thread",
		.cure_path = "", .cure_traffic = "client.work=none",
	},
	{
		.name = "download-runs-dry",
		.title = "a server that fetches what it sends too slowly",
		.story = "The client asks for 5 MB. The server's program has 32 kB of it every "
			 "10 ms, as from a slow disk, a quarter of what the path carries.",
		.path = METRO,
		.traffic = "pattern=pull request=100 bytes=5m server.write=32k server.pause=10ms "
			   "cc=cubic",
		.cause = "sender-app", .side = TW_SIDE_SERVER,
		.cure = "read ahead, so that the socket always has something to send",
		.cure_path = "", .cure_traffic = "server.pause=none",
	},
	{
		.name = "sender-paced",
		.title = "a sender that holds itself to a rate",
		.story = "The sending program has set SO_MAX_PACING_RATE to 10 Mbit/s, a tenth "
			 "of what the path carries. Its segments leave evenly, and nothing else "
			 "limits them.",
		.path = METRO,
		.traffic = "pattern=bulk dir=up bytes=2m client.pacing=10mbit cc=cubic",
		.cause = "pacing", .side = TW_SIDE_CLIENT,
		.cure = "raise SO_MAX_PACING_RATE, or leave it unset",
		.cure_path = "", .cure_traffic = "client.pacing=none",
	},
	/* Hosts. */
	{
		.name = "frozen-server",
		.title = "a receiving machine that is paused again and again",
		.story = "The server is a virtual machine that stands still for 180 ms, three times a second. What comes "
			 "meanwhile is acknowledged all at once when it goes on; nothing is lost.",
		.path = METRO " server.freeze=180ms server.freeze-every=320ms",
		.traffic = "pattern=bulk dir=up bytes=6m cc=cubic",
		.cause = "host-slow", .side = TW_SIDE_SERVER,
		.cure = "give it its processor",
		.cure_path = "server.freeze=none", .cure_traffic = "",
	},
	{
		.name = "frozen-client",
		.title = "a sending machine that is paused again and again",
		.story = "The client is the one that stands still. ACKs reach it and wait with it; then it goes on where "
			 "it was.",
		.path = METRO " client.freeze=180ms client.freeze-every=320ms",
		.traffic = "pattern=bulk dir=up bytes=6m cc=cubic",
		.cause = "host-slow", .side = TW_SIDE_CLIENT,
		.cure = "give it its processor",
		.cure_path = "client.freeze=none", .cure_traffic = "",
	},
	/* The path. */
	{
		.name = "slow-link",
		.title = "a link that is simply full",
		.story = "The slowest link carries 20 Mbit/s and is busy all the time. That is as fast as it "
			 "gets without another link.",
		.path = "rate=20mbit delay=5ms queue=64k",
		.traffic = "pattern=bulk dir=up bytes=5m cc=cubic",
		.cause = "link-rate", .side = TW_SIDE_CLIENT,
		.cure = "buy a faster link (here: 100 Mbit/s)",
		.cure_path = "rate=100mbit", .cure_traffic = "",
	},
	{
		.name = "reverse-path",
		.title = "acknowledgements that fill a slow way back",
		.story = "The way there carries 50 Mbit/s, the way back 300 kbit/s, which is too "
			 "little for an acknowledgement of every second segment. They queue, and "
			 "what they would let go waits.",
		.path = "rate=50mbit delay=10ms queue=256k back.rate=300kbit back.queue=32k",
		.traffic = "pattern=bulk dir=up bytes=4m cc=cubic",
		.cause = "link-rate", .side = TW_SIDE_CLIENT,
		.cure = "widen the way back (here: 50 Mbit/s), or thin the acknowledgements",
		.cure_path = "back.rate=50mbit", .cure_traffic = "",
	},
	{
		.name = "short-transfer",
		.title = "a transfer that ends before it is up to speed",
		.story = "300 kB over a path of 100 ms: the congestion window starts at ten segments and doubles "
			 "each round trip, and the transfer ends before the path is full.",
		.path = "rate=100mbit delay=50ms queue=1m",
		.traffic = "pattern=bulk dir=up bytes=300k cc=cubic",
		.cause = "slow-start", .side = TW_SIDE_CLIENT,
		.cure = "use a connection that is warm already, or come nearer (here: 10 ms)",
		.cure_path = "delay=5ms", .cure_traffic = "",
	},
	{
		.name = "random-loss",
		.title = "scattered losses that keep the congestion window down",
		.story = "One packet in a hundred is lost, as on a bad cable or radio. Reno takes each for "
			 "congestion and halves its window, which grows back by one segment a round trip.",
		.path = CONTINENT " there.loss=1%",
		.traffic = "pattern=bulk dir=up bytes=3m cc=reno",
		.cause = "congestion-window", .side = TW_SIDE_CLIENT,
		.cure = "repair what loses packets",
		.cure_path = "there.loss=none", .cure_traffic = "",
	},
	{
		.name = "lossy-download",
		.title = "a download over a path that loses packets",
		.story = "One packet in a hundred is lost on the way from the server. Reno "
			 "halves the server's window for each.",
		.path = CONTINENT " back.loss=1%",
		.traffic = "pattern=pull request=100 bytes=1500k cc=reno",
		.cause = "congestion-window", .side = TW_SIDE_SERVER,
		.cure = "repair what loses packets",
		.cure_path = "back.loss=none", .cure_traffic = "",
	},
	{
		.name = "burst-loss",
		.title = "losses in bursts",
		.story = "Now and then the path loses a few packets in a row, as a radio or a flapping link does. Each "
			 "burst cuts the congestion window.",
		.path = CONTINENT " there.gemodel=0.2%:30%",
		.traffic = "pattern=bulk dir=up bytes=6m cc=reno",
		.cause = "congestion-window", .side = TW_SIDE_CLIENT,
		.cure = "repair what loses packets",
		.cure_path = "there.gemodel=none", .cure_traffic = "",
	},
	{
		.name = "random-stalls",
		.title = "a transfer that stalls for 200 ms and more, now and then",
		.story = "The path has bad moments in which half of the packets are lost, "
			 "resends among them, and a middlebox strips SACK. A resend that is lost "
			 "leaves only the retransmission timer.",
		.path = "rate=100mbit delay=1ms queue=128k strip=sack there.gemodel=0.5%:15%:50%",
		.traffic = "pattern=bulk dir=up bytes=3m cc=cubic",
		.cause = "retransmission-timeout", .side = TW_SIDE_CLIENT,
		.share = 0.05, /* where a resend is lost again and again it is an outage, as chance has it */
		.cure = "repair what loses packets",
		.cure_path = "there.gemodel=none", .cure_traffic = "",
	},
	{
		.name = "sack-stripped",
		.title = "a firewall that strips SACK from a path with losses",
		.story = "The path loses a few packets in a row now and then, and without SACK "
			 "the sender learns of one of them in each round trip.",
		.path = CONTINENT " strip=sack there.gemodel=0.2%:20%",
		.traffic = "pattern=bulk dir=up bytes=2m cc=cubic",
		.cause = "fast-recovery", .side = TW_SIDE_CLIENT,
		.cure = "let the option pass",
		.cure_path = "strip=none", .cure_traffic = "",
	},
	{
		.name = "collapse",
		.title = "messages that are a little too large for a queue",
		.story = "The bottleneck's queue holds 32 kB, and the path is short. A message "
			 "of 40 kB overflows it as soon as the congestion window lets it go "
			 "whole; without SACK, nothing behind its lost end tells of the loss, "
			 "and each time the timer has to.",
		.path = "rate=100mbit delay=1ms queue=32k",
		.traffic = "pattern=request count=20 request=40k reply=100 sack=0 "
			   "client.pacing=10gbit cc=cubic",
		.cause = "retransmission-timeout", .side = TW_SIDE_CLIENT,
		.cure = "give the bottleneck a larger queue",
		.cure_path = "queue=256k", .cure_traffic = "",
	},
	{
		.name = "reordering",
		.title = "reordered segments that are taken for lost",
		.story = "Three segments in a hundred take a way that is 10 ms longer. Three "
			 "duplicate ACKs make the sender resend what was only late, and without "
			 "SACK nobody tells it so.",
		.path = "rate=200mbit delay=20ms queue=16m there.reorder=3% there.reorder-by=10ms",
		.traffic = "pattern=bulk dir=up bytes=8m sack=0 cc=reno",
		.cause = "reordering", .side = TW_SIDE_CLIENT,
		.cure = "send each connection along one way",
		.cure_path = "there.reorder=none", .cure_traffic = "",
	},
	{
		.name = "policer",
		.title = "a policer that drops what exceeds its rate",
		.story = "A token bucket of 60 kB drops what exceeds 20 Mbit/s instead of queueing it. Whenever the "
			 "window has grown beyond that, segments are lost and it is cut again; no delay tells before.",
		.path = "rate=100mbit delay=10ms queue=512k there.police=20mbit there.burst=60k",
		.traffic = "pattern=bulk dir=up bytes=5m cc=cubic",
		.cause = "congestion-window", .side = TW_SIDE_CLIENT,
		.cure = "shape instead: queue what exceeds the rate, or pace the sender below it",
		.cure_path = "there.police=none", .cure_traffic = "",
	},
	{
		.name = "ecn-early",
		.title = "a queue that marks ECN far too early",
		.story = "The bottleneck marks packets while its queue holds a tenth of what a round trip needs. The "
			 "sender halves its window at each mark, and the link runs half empty. Nothing is lost.",
		.path = CONTINENT " there.ecn=60k",
		.traffic = "pattern=bulk dir=up bytes=8m ecn=1 cc=reno",
		.cause = "congestion-window", .side = TW_SIDE_CLIENT,
		.cure = "mark later, from a round trip's worth on",
		.cure_path = "there.ecn=none", .cure_traffic = "",
	},
	{
		.name = "probe-rtt",
		.title = "BBR goes down to four segments to measure the path",
		.story = "After ten seconds without a new shortest round trip BBR empties the "
			 "path for 200 ms: four segments in flight, on a link that is full for "
			 "all the rest. Twelve seconds show one of these gaps.",
		.path = "rate=20mbit delay=20ms queue=256k",
		.traffic = "pattern=bulk dir=up bytes=26m cc=bbr",
		.cause = "congestion-window", .side = TW_SIDE_CLIENT, .share = 0.01,
		.cure = "use a congestion control without such a phase (here: cubic)",
		.cure_path = "", .cure_traffic = "cc=cubic",
	},
	{
		.name = "tail-loss",
		.title = "the last segment of a message is lost",
		.story = "The last segment of each of the first ten requests is lost, and nothing follows it that "
			 "could tell of the loss. Only a timer repairs it.",
		.path = "rate=100mbit delay=20ms there.drop=last:10",
		.traffic = "pattern=request count=20 request=4000 reply=200 nodelay=yes cc=cubic",
		.cause = "tail-loss", .side = TW_SIDE_CLIENT,
		.cure = "repair what loses packets",
		.cure_path = "there.drop=none", .cure_traffic = "",
	},
	{
		.name = "syn-lost",
		.title = "the first SYN is lost",
		.story = "The SYN that opens the connection is lost. The client knows no round trip yet and sends "
			 "it again after a whole second.",
		.path = METRO " there.drop=syn",
		.traffic = "pattern=bulk dir=up bytes=200k cc=cubic",
		.cause = "syn-retry", .side = TW_SIDE_CLIENT,
		.cure = "find out who drops it: a full listen queue, a firewall's table",
		.cure_path = "there.drop=none", .cure_traffic = "",
	},
	{
		.name = "syn-ack-lost",
		.title = "the first SYN-ACK is lost",
		.story = "The server's answer to the SYN is lost. Both sides wait for a second.",
		.path = METRO " back.drop=synack",
		.traffic = "pattern=bulk dir=up bytes=200k cc=cubic",
		.cause = "syn-retry", .side = TW_SIDE_CLIENT,
		.cure = "find out who drops it",
		.cure_path = "back.drop=none", .cure_traffic = "",
	},
	{
		.name = "outage",
		.title = "a path that carries nothing for a second",
		.story = "A link on the way is down for 1.2 s. The sender's timer sends the first lost segment again "
			 "and again, doubles each time, and so goes on well after the link is back.",
		.path = METRO " outage=250ms..1450ms",
		.traffic = "pattern=bulk dir=up bytes=6m cc=cubic",
		.cause = "path-outage", .side = TW_SIDE_CLIENT,
		.cure = "find what was down",
		.cure_path = "outage=none", .cure_traffic = "",
	},
	{
		.name = "outage-requests",
		.title = "the same under requests and replies",
		.story = "The link is down for 1.2 s while a client asks and a server answers. Whatever was under way "
			 "waits for the timer of whoever sent it.",
		.path = METRO " outage=300ms..1500ms",
		.traffic = "pattern=request count=60 request=200 reply=20000 nodelay=yes cc=cubic",
		.cause = "path-outage", .side = TW_SIDE_ANY,
		.cure = "find what was down",
		.cure_path = "outage=none", .cure_traffic = "",
	},
	{
		.name = "black-hole",
		.title = "large packets vanish and nobody says so",
		.story = "A tunnel on the way carries packets of up to 1,400 bytes, and the ICMP message that says "
			 "so is filtered. Small packets pass, full ones are sent again and again, until the kernel "
			 "probes for a smaller size.",
		.path = METRO " there.mtu=1400",
		.traffic = "pattern=bulk dir=up bytes=100k client.mtu-probing=1 cc=cubic",
		.cause = "mtu-black-hole", .side = TW_SIDE_CLIENT,
		.cure = "let ICMP fragmentation-needed through",
		.cure_path = "there.icmp=yes", .cure_traffic = "",
	},
};

const size_t tw_n_scenarios = sizeof(tw_scenarios) / sizeof(tw_scenarios[0]);

const struct tw_scenario *tw_scenario_find(const char *name)
{
	for (size_t i = 0; i < tw_n_scenarios; i++)
		if (!strcmp(tw_scenarios[i].name, name))
			return &tw_scenarios[i];
	return NULL;
}
