using System.Globalization;
using Poolhouse.Tool.Advise.Sampling;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Advise.Rules;

/// <summary>Which connections are opened again and again.</summary>
internal static class ConnectionRules
{
    private const double LeastPerSecond = 0.5;
    private const double LeastOfUnknown = 2;
    private const int Fewest = 5;
    private const double FewRequests = 3;
    private const double ManyRequests = 20;

    public static IEnumerable<Finding> Find(Sample sample)
    {
        foreach (var host in sample.Http.Where(host => IsOpenedAgain(host.Connections, LeastPerSecond, sample)
            && host.Requests < host.Connections.Count * FewRequests))
        {
            yield return OfHttp(host, sample);
        }

        foreach (var peer in sample.Peers)
        {
            var known = KnownPort.Of(peer.Port);
            if (IsOpenedAgain(peer.Connections, known is null ? LeastOfUnknown : LeastPerSecond, sample))
            {
                yield return OfPeer(peer, known, sample);
            }
        }
    }

    public static IEnumerable<Remark> Remarks(Sample sample)
    {
        foreach (var host in sample.Http.Where(host => host.Requests >= ManyRequests
            && host.Requests >= Math.Max(1, host.Connections.Count) * ManyRequests))
        {
            yield return new Remark(
                NameOf(host),
                $"{Units.Count(host.Requests)} requests over {Count(host.Connections.Count, "new connection")}: " +
                "HttpClient pools them.");
        }

        foreach (var peer in sample.Peers.Where(peer => KnownPort.Of(peer.Port) is not null && !peer.Connections.GoOn))
        {
            yield return new Remark(
                $"{KnownPort.Of(peer.Port)!.Service} at {peer.Address}",
                $"{Count(peer.Connections.Count, "connection")} opened, and not all the time: they are kept.");
        }

        if (!OperatingSystem.IsLinux())
        {
            yield return new Remark(
                "connections of native code",
                "They are seen only on Linux: libldap and ODBC drivers, for instance, may open some here.");
        }
    }

    private static bool IsOpenedAgain(Occurrences connections, double leastPerSecond, Sample sample) =>
        connections.Count >= Fewest && connections.GoOn && sample.PerSecond(connections.Count) >= leastPerSecond;

    private static Finding OfHttp(HttpHost host, Sample sample) => new()
    {
        Rule = "http-connections",
        Title = "Keep one HttpClient instead of one for each request",
        Figures =
            $"{NameOf(host)}: {Count(host.Connections.Count, "connection")} for {Count(host.Requests, "request")}, " +
            $"{Units.Digits(sample.PerSecond(host.Connections.Count))} a second{LookUps(sample)}" +
            $"{sample.Extrapolated(sample.RequestsSeen)}.",
        Threshold =
            "at least one connection for each three requests, all the time: a connection costs one to three round trips, and " +
            "its port is blocked for a minute or more.",
        Code = """
            static readonly HttpClient Client = new(new SocketsHttpHandler
            {
                PooledConnectionLifetime = TimeSpan.FromMinutes(5),
            });
            // in an app with dependency injection: services.AddHttpClient(…)
            """,
        Estimate = new Estimate(Estimate.Connections, sample.PerSecond(host.Connections.Count), 0),
        Caveat = "Unless the server closes each connection: then look for 'Connection: close' in its responses.",
        Url = Docs.Page("guides/http.md"),
    };

    private static Finding OfPeer(Peer peer, KnownPort? known, Sample sample)
    {
        var port = peer.Port.ToString(CultureInfo.InvariantCulture);
        var service = known ?? KnownPort.Resource("a server", "connection");
        return new Finding
        {
            Rule = known is null ? "connections" : RuleOf(known),
            Title = $"{service.Advice}: {service.Service} at {peer.Address}:{port}",
            Where = peer.Method,
            Figures =
                $"{Count(peer.Connections.Count, "connection")} opened{(peer.IsNative ? " by native code, at least" : "")}, " +
                $"{Units.Digits(sample.PerSecond(peer.Connections.Count))} a second{LookUps(sample)}{CountersOf(sample)}" +
                $"{(peer.IsNative ? "" : sample.Extrapolated(sample.OpeningsSeen))}.",
            Threshold =
                $"from {Units.Digits(known is null ? LeastOfUnknown : LeastPerSecond)} a second on, all the time and not "
                + "only at the start: opening takes several round trips and, with a login or TLS, milliseconds of processor "
                + "time on both sides.",
            Code = service.Code,
            Estimate = new Estimate(Estimate.Connections, sample.PerSecond(peer.Connections.Count), 0),
            Caveat = known is null ? "If what listens there keeps connections open." : "",
            Url = Docs.Page(service.Page),
        };
    }

    private static string RuleOf(KnownPort known) =>
        $"{known.Service.Replace(' ', '-').ToLowerInvariant()}-connections";

    private static string LookUps(Sample sample) => sample.LookUps.GoOn
        ? $", with {Units.Digits(sample.PerSecond(sample.LookUps.Count))} look-ups of names a second" : "";

    private static string CountersOf(Sample sample)
    {
        var shown = sample.Counters.Where(each => each.Value > 0
            && (each.Key.Contains("commands-per-second", StringComparison.Ordinal)
                || each.Key.Contains("hard-connects", StringComparison.Ordinal)
                || each.Key.Contains("queries-per-second", StringComparison.Ordinal)));
        return string.Concat(shown.Select(each => $"; {each.Key} {Units.Digits(each.Value)}"));
    }

    private static string NameOf(HttpHost host) => host.Name.Length > 0 ? host.Name : "HTTP servers";

    private static string Count(int count, string what) => $"{Units.Count(count)} {what}{(count == 1 ? "" : "s")}";
}
