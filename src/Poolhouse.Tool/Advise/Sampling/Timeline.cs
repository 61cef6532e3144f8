namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>Counts events of one kind, and in how many of the equal parts of the time there was one. Not thread safe.</summary>
internal sealed class Timeline
{
    private readonly bool[] _parts = new bool[Occurrences.AllParts];

    public int Count { get; private set; }

    public Occurrences Occurrences => new(Count, _parts.Count(part => part));

    /// <param name="moment">When, from 0 for the start of the time to 1 for its end.</param>
    public void Add(double moment)
    {
        Count++;
        _parts[(int)Math.Clamp(moment * _parts.Length, 0, _parts.Length - 1)] = true;
    }
}
