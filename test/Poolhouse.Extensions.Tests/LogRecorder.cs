using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Poolhouse.Extensions.Tests;

/// <summary>Keeps the entries of the pools' log.</summary>
internal sealed class LogRecorder : ILoggerProvider
{
    private readonly ConcurrentQueue<LogEntry> _entries = new();

    public LogLevel Lowest { get; init; } = LogLevel.Information;

    public IReadOnlyList<LogEntry> Entries => [.. _entries];

    public IReadOnlyList<LogEntry> Of(int id) => [.. _entries.Where(entry => entry.Id == id)];

    public ILogger CreateLogger(string categoryName) =>
        new Logger(this, categoryName.StartsWith("Poolhouse", StringComparison.Ordinal) ? categoryName : null);

    public void Dispose()
    {
    }

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
                recorder._entries.Enqueue(new LogEntry(category!, logLevel, eventId.Id, formatter(state, exception)));
            }
        }
    }
}
