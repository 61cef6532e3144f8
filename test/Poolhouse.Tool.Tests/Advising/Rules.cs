using System.Xml.Linq;
using Poolhouse.Tool.Advise;
using Poolhouse.Tool.Advise.Sampling;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>What advice says about samples that a test writes.</summary>
public sealed class Rules
{
    private const double MiB = 1 << 20;

    private static readonly Occurrences _steady = new(60, 10);

    [Theory]
    [InlineData(17, 2, 20_000, "arrays")]
    [InlineData(15, 2, 20_000, null)]
    [InlineData(100, 2, 200, null)]
    [InlineData(2, 2, 100_000, "large-arrays")]
    [InlineData(2, 1, 100_000, null)]
    [InlineData(0.9, 2, 100_000, null)]
    public void Arrays_are_pooled_if_they_are_large_or_many(double mebibytes, int fullCollections, double size, string? rule) =>
        Assert.Equal(rule, RuleOf(Allocating(mebibytes * MiB, size, AllocationWay.Direct) with
        {
            Collections = [10, 3, fullCollections],
        }));

    [Theory]
    [InlineData(1.25, "(extrapolated from 1.25 s)")]
    [InlineData(29.5, null)]
    public void A_finding_tells_if_it_was_sampled_for_a_part_of_the_time_only(double seconds, string? part)
    {
        var seen = TimeSpan.FromSeconds(seconds);
        var advice = Advice.On("app (1)", Allocating(100 * MiB, 20_000, AllocationWay.Direct) with
        {
            AllocationsSeen = seen,
            OpeningsSeen = seen,
            RequestsSeen = seen,
            Http = [new HttpHost("https://api:443", 60, _steady)],
            Peers = [new Peer("10.0.0.1", 5432, _steady, IsNative: false, "App.Orders.Save")],
        });
        Assert.Equal(3, advice.Findings.Count);
        Assert.All(advice.Findings, finding => Assert.Equal(
            part is not null, finding.Figures.Contains(part ?? "extrapolated", StringComparison.Ordinal)));
    }

    [Fact]
    public void What_is_kept_is_not_pooled()
    {
        var advice = Advice.On("app (1)", Allocating(100 * MiB, 100_000, AllocationWay.Direct) with { Kept = 0.8 });
        Assert.Empty(advice.Findings);
        Assert.Contains(advice.Remarks, remark => remark.Reason.Contains("80 % of it", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Pool")]
    [InlineData("Copy")]
    public void What_a_pool_or_a_conversion_allocates_is_not_pooled_again(string way) =>
        Assert.Null(RuleOf(Allocating(100 * MiB, 20_000, Enum.Parse<AllocationWay>(way))));

    [Fact]
    public void A_small_part_of_what_is_allocated_is_not_worth_a_change() => Assert.Null(RuleOf(
        Allocating(20 * MiB, 20_000, AllocationWay.Direct) with { Allocated = 1000 * MiB }));

    [Fact]
    public void Types_of_the_framework_that_are_thread_safe_are_shared_not_pooled() => Assert.Equal("share", RuleOf(
        Allocating(50 * MiB, 300, AllocationWay.Constructor, "System.Text.RegularExpressions.Regex")));

    [Theory]
    [InlineData(5432, 20, 10, "postgresql-connections")]
    [InlineData(1433, 20, 10, "sql-server-connections")]
    [InlineData(389, 20, 10, "ldap-connections")]
    [InlineData(587, 20, 10, "smtp-connections")]
    [InlineData(22, 20, 10, "ssh-connections")]
    [InlineData(5672, 20, 10, "amqp-connections")]
    [InlineData(9999, 200, 10, "connections")]
    [InlineData(9999, 20, 10, null)]
    [InlineData(5432, 200, 1, null)]
    [InlineData(5432, 4, 4, null)]
    public void Connections_are_pooled_if_they_are_opened_all_the_time(int port, int count, int parts, string? rule) =>
        Assert.Equal(rule, RuleOf(Quiet() with
        {
            Peers = [new Peer("10.0.0.1", port, new Occurrences(count, parts), IsNative: false, "App.Orders.Save")],
        }));

    [Theory]
    [InlineData(60, "http-connections")]
    [InlineData(179, "http-connections")]
    [InlineData(181, null)]
    public void A_client_is_kept_if_its_connections_serve_few_requests(int requests, string? rule) =>
        Assert.Equal(rule, RuleOf(Quiet() with { Http = [new HttpHost("https://api:443", requests, _steady)] }));

    [Theory]
    [InlineData(100, 1, "threads")]
    [InlineData(100, 0.1, null)]
    [InlineData(20, 1, null)]
    public void Threads_are_pooled_if_the_app_creates_them_all_the_time(int count, double share, string? rule) =>
        Assert.Equal(rule, RuleOf(Quiet() with { Threads = new Occurrences(count, 10), ThreadsOfApp = share }));

    [Theory]
    [InlineData(1000, 300, 900, "array-pool-returns")]
    [InlineData(1000, 990, 200, "array-pool-misses")]
    [InlineData(1000, 990, 20, null)]
    public void An_array_pool_is_judged_by_its_rents_returns_and_misses(int rented, int returned, int missed, string? rule) =>
        Assert.Equal(rule, RuleOf(Quiet() with
        {
            ArrayPool = new ArrayPoolUse
            {
                Allocated = new Occurrences(3000, 10),
                Rented = rented,
                Returned = returned,
                Missed = missed,
            },
        }));

    [Fact]
    public void Nothing_found_is_an_answer()
    {
        var advice = Advice.On("app (1)", Quiet());
        Assert.Equal("Nothing found that is worth pooling.", advice.Headline);
        Assert.Contains(advice.Remarks, remark => remark.Reason.Contains("too little to gain from", StringComparison.Ordinal));
    }

    [Fact]
    public void A_little_that_is_worth_pooling_is_not_called_too_little()
    {
        var advice = Advice.On("app (1)", Allocating(4 * MiB, 100_000, AllocationWay.Direct));
        Assert.Equal("large-arrays", Assert.Single(advice.Findings).Rule);
        Assert.Equal(
            ("other objects and arrays",
                "The app allocates 4 MiB a second in all: apart from the findings, too little to gain from."),
            (advice.Remarks[0].Subject, advice.Remarks[0].Reason));
    }

    // On a terminal of 80 columns, with an indentation of five.
    [Fact]
    public void Code_is_not_wrapped()
    {
        int[] ports = [5432, 389, 6379, 5672, 587, 22];
        var quiet = Quiet() with
        {
            Http = [new HttpHost("https://api:443", 60, _steady)],
            Peers = [.. ports.Select(port => new Peer("10.0.0.1", port, _steady, IsNative: false, ""))],
            Threads = new Occurrences(100, 10),
            ThreadsOfApp = 1,
        };
        (AllocationWay Way, string Owner)[] ways =
        [
            (AllocationWay.Direct, ""), (AllocationWay.MemoryStream, ""), (AllocationWay.StringBuilder, ""),
            (AllocationWay.Constructor, "Shop.Orders.OrderParser"), (AllocationWay.Constructor, "System.Net.Http.SocketsHttpHandler"),
            (AllocationWay.Collection, "System.Collections.Generic.List`1"),
        ];
        Sample[] samples = [quiet, .. ways.Select(each => Allocating(100 * MiB, 20_000, each.Way, each.Owner))];
        var findings = samples.SelectMany(sample => Advice.On("app (1)", sample).Findings).ToList();
        Assert.Equal(ports.Length + 2 + ways.Length, findings.Count);
        Assert.All(findings.SelectMany(finding => finding.Code.Split('\n')), line => Assert.InRange(line.Length, 0, 75));
    }

    [Fact]
    public void The_page_is_well_formed_and_shows_every_finding()
    {
        var advice = Advice.On("<app> (1)", Allocating(100 * MiB, 20_000, AllocationWay.Direct) with
        {
            Peers = [new Peer("10.0.0.1", 5432, _steady, IsNative: true, "App.<Run>\u0001")],
        });
        var page = XDocument.Parse(AdvisePage.Write(advice)["<!DOCTYPE html>\n".Length..]);
        Assert.Equal(
            advice.Findings.Select(finding => finding.Title),
            page.Descendants("h3").Select(title => title.Value));
        Assert.DoesNotContain("\u0001", page.ToString(), StringComparison.Ordinal);
    }

    private static string? RuleOf(Sample sample) => Advice.On("app (1)", sample).Findings.SingleOrDefault()?.Rule;

    private static Sample Quiet() => new() { Time = TimeSpan.FromSeconds(30), Allocated = MiB, Collections = [10, 3, 2] };

    private static Sample Allocating(double bytes, double size, AllocationWay way, string owner = "") => Quiet() with
    {
        Allocated = bytes,
        Sites =
        [
            new AllocationSite("System.Byte[]", "App.Orders.Save", way, owner)
            {
                Bytes = bytes,
                Size = size,
                IsLarge = size >= 85_000,
            },
        ],
    };
}
