namespace Poolhouse.Tool.Tests;

/// <summary>Presses Ctrl-C when a text is printed.</summary>
internal sealed class StoppingWriter(string at, CancellationTokenSource stop) : StringWriter
{
    public override void Write(string? value)
    {
        base.Write(value);
        if (value?.Contains(at, StringComparison.Ordinal) == true)
        {
            stop.Cancel();
        }
    }
}
