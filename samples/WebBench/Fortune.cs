namespace Poolhouse.Samples.WebBench;

internal sealed class Fortune
{
    public int Id { get; set; }

    public string Message { get; set; } = "";
}
