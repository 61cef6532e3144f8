using System.Diagnostics.Tracing;
using Microsoft.Diagnostics.NETCore.Client;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>Records the event source as dotnet-trace does.</summary>
internal static class Recording
{
    public static EventPipeProvider ProviderAt(string interval) => new(
        TraceReader.Provider, EventLevel.Informational, keywords: 3, new Dictionary<string, string> { ["Interval"] = interval });

    public static async Task<byte[]> CopyAsync(Stream stream)
    {
        using var copy = new MemoryStream();
        await stream.CopyToAsync(copy, TestContext.Current.CancellationToken);
        return copy.ToArray();
    }

    /// <summary>The pictures in what was recorded.</summary>
    public static WatchModel Read(byte[] bytes)
    {
        var model = new WatchModel();
        using var stream = new MemoryStream(bytes);
        TraceReader.Read(stream, model, TestContext.Current.CancellationToken);
        return model;
    }
}
