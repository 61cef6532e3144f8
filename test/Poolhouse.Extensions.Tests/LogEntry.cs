using Microsoft.Extensions.Logging;

namespace Poolhouse.Extensions.Tests;

internal sealed record LogEntry(string Category, LogLevel Level, int Id, string Text);
