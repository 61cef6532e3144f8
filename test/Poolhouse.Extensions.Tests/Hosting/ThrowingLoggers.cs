using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
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
    public void Without_a_timer_for_the_summary_the_next_entry_sets_one()
    {
        var summaries = new List<long>();
        using var throttle = new LogThrottle(new TimerlessOnce(_time), summaries.Add);
        Assert.True(throttle.TryPass());
        Assert.Throws<OutOfMemoryException>(() => throttle.TryPass());

        Assert.False(throttle.TryPass());
        _time.Advance(LogThrottle.Window);
        Assert.Equal([1], summaries);
        _time.Advance(LogThrottle.Window);
        Assert.True(throttle.TryPass());
    }

    [Fact]
    public void A_start_that_cannot_be_logged_does_not_prevent_the_pool()
    {
        using var logger = new Thrower();
        using var services = new ServiceCollection()
            .AddLogging(logging => logging.AddProvider(logger))
            .AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "main", options => options.MaxSize = 1).Services
            .BuildServiceProvider();

        var pool = services.GetRequiredKeyedService<ResourcePool<Link>>("main");

        Assert.Same(pool, services.GetRequiredKeyedService<ResourcePool<Link>>("main"));
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

    /// <summary>A clock whose first timer cannot be created.</summary>
    private sealed class TimerlessOnce(TimeProvider inner) : TimeProvider
    {
        private bool _failed;

        public override long TimestampFrequency => inner.TimestampFrequency;

        public override long GetTimestamp() => inner.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            if (!_failed)
            {
                _failed = true;
                throw new OutOfMemoryException();
            }

            return inner.CreateTimer(callback, state, dueTime, period);
        }
    }

    /// <summary>A logger that throws.</summary>
    private sealed class Thrower : ILoggerProvider, ILogger
    {
        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            throw new InvalidOperationException("The logger is disposed.");

        public void Dispose()
        {
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
