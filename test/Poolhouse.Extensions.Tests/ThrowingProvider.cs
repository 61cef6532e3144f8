using Microsoft.Extensions.Logging;

namespace Poolhouse.Extensions.Tests;

/// <summary>A log that cannot be written: it throws when one of the given events is logged.</summary>
internal sealed class ThrowingProvider(params int[] events) : ILoggerProvider, ILogger
{
    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (events.Contains(eventId.Id))
        {
            throw new InvalidOperationException("The log is full.");
        }
    }

    public void Dispose()
    {
    }
}
