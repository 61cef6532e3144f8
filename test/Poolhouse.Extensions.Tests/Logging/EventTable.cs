using System.Globalization;
using System.Reflection;
using Microsoft.Extensions.Logging;
using Poolhouse.Extensions.Logging;
using Poolhouse.TestSupport;

namespace Poolhouse.Extensions.Tests.Logging;

public sealed class EventTable
{
    [Fact]
    public void The_guide_lists_every_event()
    {
        var events =
            from method in typeof(PoolMessages).GetMethods(BindingFlags.Public | BindingFlags.Static)
            let message = method.GetCustomAttribute<LoggerMessageAttribute>()
            where message is not null
            orderby message.EventId
            select string.Create(CultureInfo.InvariantCulture, $"| {message.EventId} | {message.Level} | {message.EventName} |");
        var rows = File.ReadAllLines(Checkout.PathOf("docs", "guides", "hosting.md"))
            .SkipWhile(line => !line.StartsWith("<!-- table: log events", StringComparison.Ordinal))
            .Skip(3)
            .TakeWhile(line => line.StartsWith('|'));

        Assert.Equal(events, rows);
    }

    [Fact]
    public void No_two_events_have_the_same_id()
    {
        var ids = typeof(PoolMessages).GetMethods(BindingFlags.Public | BindingFlags.Static)
            .Select(method => method.GetCustomAttribute<LoggerMessageAttribute>()?.EventId)
            .OfType<int>()
            .ToList();

        Assert.Equal(ids.Distinct(), ids);
    }
}
