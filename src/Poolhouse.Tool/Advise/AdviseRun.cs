using Microsoft.Diagnostics.NETCore.Client;
using Poolhouse.Tool.Advise.Sampling;
using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Watch;
using Spectre.Console;

namespace Poolhouse.Tool.Advise;

/// <summary>One run of <c>advise</c>: samples the process, judges the sample, and shows the advice.</summary>
internal sealed class AdviseRun(AdviseRequest request, IAnsiConsole console)
{
    /// <exception cref="UsageException">The process cannot be sampled, or the page cannot be written.</exception>
    public async Task<int> RunAsync(CancellationToken cancellation)
    {
        var title = Targets.TitleOf(request.Pid);
        if (!request.Json)
        {
            console.WriteParagraph(Printable.Of($"Sampling {title} for {Units.Digits(request.Time.TotalSeconds)} s …"));
        }

        Sample sample;
        try
        {
            using var sampler = new Sampler(request.Pid, request.Time);
            sample = await sampler.RunAsync(cancellation).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            return ExitCode.Interrupted;
        }
        catch (TimeoutException failure)
        {
            throw new UsageException(Targets.NoAnswer(title), failure);
        }
        catch (Exception failure) when (failure is DiagnosticsClientException or IOException or UnauthorizedAccessException
            or System.Net.Sockets.SocketException)
        {
            throw new UsageException(Targets.Explain(request.Pid, failure), failure);
        }

        Show(Advice.On(title, sample));
        return ExitCode.Success;
    }

    private void Show(Advice advice)
    {
        if (request.Html is { } file)
        {
            WritePage(file, advice);
        }

        if (request.Json)
        {
            console.Profile.Out.Writer.WriteLine(AdviseJson.Write(advice));
            return;
        }

        new AdviseText(console).Write(advice);
        if (request.Html is { } page)
        {
            console.WriteLine();
            console.WriteParagraph(Printable.Of($"The page is in {page}."));
        }
    }

    private static void WritePage(string file, Advice advice)
    {
        try
        {
            using var stream = new FileStream(file, FileMode.CreateNew);
            using var writer = new StreamWriter(stream);
            writer.Write(AdvisePage.Write(advice));
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new UsageException($"--html '{file}' cannot be written: {failure.Message}", failure);
        }
    }
}
