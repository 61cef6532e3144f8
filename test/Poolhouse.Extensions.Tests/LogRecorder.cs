using Microsoft.Extensions.Logging;

namespace Poolhouse.Extensions.Tests;

/// <summary>Keeps the entries of the pools' log.</summary>
internal sealed class LogRecorder : ILoggerProvider
{
    private readonly Lock _lock = new();
    private readonly List<LogEntry> _entries = [];
    private readonly List<(int Id, int Count, TaskCompletionSource Reached)> _awaited = [];

    public LogLevel Lowest { get; init; } = LogLevel.Information;

    public IReadOnlyList<LogEntry> Entries
    {
        get
        {
            lock (_lock)
            {
                return [.. _entries];
            }
        }
    }

    public IReadOnlyList<LogEntry> Of(int id) => [.. Entries.Where(entry => entry.Id == id)];

    /// <summary>Waits until there are so many entries of an event, which may be logged after the call that caused it.</summary>
    public Task WaitForAsync(int id, int count, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _awaited.Add((id, count, reached));
            CompleteReached();
            return reached.Task.WaitAsync(cancellationToken);
        }
    }

    public ILogger CreateLogger(string categoryName) =>
        new Logger(this, categoryName.StartsWith("Poolhouse", StringComparison.Ordinal) ? categoryName : null);

    public void Dispose()
    {
    }

    private void Add(LogEntry entry)
    {
        lock (_lock)
        {
            _entries.Add(entry);
            CompleteReached();
        }
    }

    private void CompleteReached() => _awaited.RemoveAll(
        awaited => _entries.Count(entry => entry.Id == awaited.Id) >= awaited.Count && awaited.Reached.TrySetResult());

    private sealed class Logger(LogRecorder recorder, string? category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => category is not null && logLevel >= recorder.Lowest;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
            {
                recorder.Add(new LogEntry(category!, logLevel, eventId.Id, formatter(state, exception)));
            }
        }
    }
}
