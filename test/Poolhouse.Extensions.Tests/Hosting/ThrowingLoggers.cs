using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;
using Poolhouse.Extensions.Logging;
using Poolhouse.Extensions.Registration;
using Poolhouse.Testing;

namespace Poolhouse.Extensions.Tests.Hosting;

/// <summary>
/// Microsoft's loggers pass the exceptions of their providers on. On the thread of a timer they would end the process.
/// </summary>
public sealed class ThrowingLoggers
{
    private readonly ManualTimeProvider _time = new();

    [Fact]
    public void A_summary_that_cannot_be_written_ends_neither_the_process_nor_the_log()
    {
        var summaries = 0;
        using var throttle = new LogThrottle(_time, _ =>
        {
            summaries++;
            throw new InvalidOperationException("The logger is disposed.");
        });
        Assert.True(throttle.TryPass());
        Assert.False(throttle.TryPass());
        _time.Advance(LogThrottle.Window);
        Assert.Equal(1, summaries);

        Assert.False(throttle.TryPass());
        _time.Advance(LogThrottle.Window);
        Assert.Equal(2, summaries);
    }

    [Fact]
    public void A_reload_that_cannot_be_logged_ends_neither_the_process_nor_later_reloads()
    {
        var reloads = 0;
        using var source = new Source();
        using var watcher = new ReloadWatcher<object>([source], _time, () =>
        {
            reloads++;
            throw new InvalidOperationException("The logger is disposed.");
        });

        for (var change = 1; change <= 2; change++)
        {
            source.Change();
            _time.Advance(ReloadWatcher<object>.Debounce);
            Assert.Equal(change, reloads);
        }
    }

    private sealed class Source : IOptionsChangeTokenSource<object>, IDisposable
    {
        private CancellationTokenSource _change = new();

        public string Name => "main";

        public IChangeToken GetChangeToken() => new CancellationChangeToken(_change.Token);

        public void Change()
        {
            using var change = _change;
            _change = new CancellationTokenSource();
            change.Cancel();
        }

        public void Dispose() => _change.Dispose();
    }
}
