namespace Poolhouse.Workers;

/// <summary>Knows the types of a plain post.</summary>
internal abstract class Poster;
